import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { diffLines } from "../../../foundation/line-diff.ts";
import { toVisibleText } from "../../../foundation/printable.ts";

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

interface TextChangesProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** What changed from one text to another, line by line. */
export function TextChanges({ before, after, label }: TextChangesProps): JSX.Element {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  return (
    <section class="plain diff" tabIndex={0} aria-label={label}>
      <pre>
        {lines.map((line, index) => (
          <span key={index} class={`line ${line.kind}`}>
            {SIGNS[line.kind]} {toVisibleText(line.text)}
            {"\n"}
          </span>
        ))}
      </pre>
    </section>
  );
}
