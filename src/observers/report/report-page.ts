import type { RunReport } from "../../contracts/ports/run-report.ts";

/** Where the page that the client was built into takes its data; occurs in it once. */
export const DATA_PLACEHOLDER = "__TROUPE_RUN__";

/** The whole file: the built page with a report inside. */
export function renderReport(page: string, report: RunReport): string {
  // A function, because a replacement text would give `$&` in the journal a meaning.
  return page.replace(DATA_PLACEHOLDER, () => toInlineJson(report));
}

/**
 * JSON that can stand in a script element: it holds no `<`, so that nothing in it ends the element or opens
 * a comment, and none of the line ends that are not allowed in scripts.
 */
function toInlineJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, showCode);
}

function showCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
