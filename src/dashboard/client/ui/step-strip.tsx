import type { JSX } from "preact";
import { toVisibleText } from "../../../foundation/printable.ts";
import { LOOK_WORDS } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { LookIcon } from "./look-icon.tsx";

// More would be too narrow to be read or hit.
const MAX_LINKS = 60;

/** All steps in a row, each with its state. */
export function StepStrip({
  steps,
  model,
}: {
  steps: readonly OutlineView[];
  model: RunModel;
}): JSX.Element | null {
  const shown = steps.filter(({ kind }) => kind === "step");
  if (shown.length === 0 || shown.length > MAX_LINKS) return null;
  return (
    <ul class="strip" aria-label="Steps">
      {shown.map(({ path, look }) => (
        <li key={path} class={`look-${look}`}>
          <a href={model.linkTo({ tab: "steps", step: path })}>
            <LookIcon look={look} label={LOOK_WORDS[look]} />
            <span>{toVisibleText(path)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
