import type { KeptRest, SessionRecord } from "../../../../contracts/session-record.ts";
import { endOfOutput, type OutputEnd } from "../../../../foundation/output-end.ts";

/** Most characters that are kept of what a tool returned beside what it shows. */
export const MAX_REST_CHARS = 1024 * 1024;

/** What a tool returned where it shows a part of it only. */
export interface CutText {
  /** What is shown before the word of what is not. */
  readonly before: string;
  /** What is not shown, in words that a model reads. */
  readonly left: string;
  /** What is shown after that word. */
  readonly after: string;
  /** All of it, at most `MAX_REST_CHARS`. */
  readonly whole: string;
  /** Where in `whole` that begins which is not shown. */
  readonly next: number;
  /** Whether there was more than `whole` holds. */
  readonly isPart: boolean;
}

/** A text of which the model is shown the beginning: at most `maxChars`. */
export function cutAfter(text: string, maxChars: number): string | CutText {
  if (text.length <= maxChars) return text;
  return {
    before: `${text.slice(0, maxChars).toWellFormed()}\n`,
    left: `${text.length - maxChars} characters more are not shown`,
    after: "",
    whole: text.slice(0, MAX_REST_CHARS).toWellFormed(),
    next: maxChars,
    isPart: text.length > MAX_REST_CHARS,
  };
}

/** Output of which the model is shown the end: at most `maxChars`. */
export function cutBefore(output: OutputEnd, maxChars: number, after = ""): string | CutText {
  const shown = endOfOutput(output.text, maxChars);
  if (!shown.isTruncated && !output.isTruncated) return `${shown.text}${after}`;
  return {
    before: "",
    left: "the beginning is not shown",
    after: `\n${shown.text}${after}`,
    whole: output.text,
    next: 0,
    isPart: output.isTruncated,
  };
}

/** The words for the model where nobody can read the rest. */
export function plainCut({ before, left, after }: CutText): string {
  return `${before}(${left})${after}`;
}

/** The words for the model and where the rest lies, which `record` keeps; the plain words where it keeps no more. */
export function keepCut(
  cut: CutText,
  record: Pick<SessionRecord, "keepRest">,
): { readonly text: string; readonly rest: KeptRest | undefined } {
  const rest = record.keepRest(cut.whole);
  if (rest === undefined) {
    const left = `${cut.left}, and not kept: this agent has kept as much as one may; ask for less at once`;
    return { text: plainCut({ ...cut, left }), rest };
  }
  // Where secrets were taken out of it, places in it are others.
  const offset = rest.text === cut.whole ? cut.next : 0;
  const extent = cut.isPart ? `, and of all of it ${cut.whole.length} characters are kept` : "";
  const left = `${cut.left}${extent}: get it with resource_read, ref "${rest.ref}", offset ${offset}`;
  return { text: plainCut({ ...cut, left }), rest };
}
