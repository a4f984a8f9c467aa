import { namedFiles } from "../../foundation/named-files.ts";
import type { FilledPiece, FilledText } from "../language/templates/filled-text.ts";
import type { IterationRecord } from "./iteration-record.ts";

/** Iterations that are told in full; older ones have a line each. */
const MOST_SECTIONS = 20;
const MAX_EARLIER_CHARS = 32_768;
const MAX_PLAN_CHARS = 32_768;
const MOST_FILES_TOLD = 20;
const MAX_LINE_CHARS = 120;

const ASSESSMENT = `<task_assessment>
## Task Complexity Assessment
Before you begin, say in one line whether what is left is small, medium or large.
Do one coherent piece of it that you can finish now, and leave everything working.
At the end say what you did and what should come next.
</task_assessment>`;

/** A check that a series works towards, which failed. */
export interface FailedCheck {
  /** The iteration before it, from 0. */
  readonly iteration: number;
  readonly command: string;
  /** How it ended and what it printed. */
  readonly report: string;
}

/** What an iteration is told beside its task. */
export interface IterationContext {
  /** From 0. */
  readonly iteration: number;
  /** What bounds the series, for people: `5`, `2h`. */
  readonly bound: string;
  /** Null outside a repository and before the first commit. */
  readonly baseCommit: string | null;
  readonly plan: string | undefined;
  readonly earlier: readonly IterationRecord[];
  /** The task of the series. */
  readonly task: FilledText;
  /** What this iteration is asked for. */
  readonly asked: FilledText;
  readonly tellsEarlier: boolean;
  readonly check?: FailedCheck;
}

/** What an iteration is asked for; what earlier ones said has its source. */
export function iterationPrompt(given: IterationContext): FilledText {
  const { earlier, plan, tellsEarlier, asked, check } = given;
  const tellsWork = plan !== undefined || (tellsEarlier && earlier.length > 0);
  const hasContext = tellsWork || check !== undefined;
  return [...(hasContext ? contextOf(given) : []), { text: `${ASSESSMENT}\n\n` }, ...asked];
}

function contextOf(given: IterationContext): FilledText {
  const { iteration, bound, baseCommit, plan, earlier, task, tellsEarlier, check } = given;
  const progress = [
    "\n\n## Progress",
    `Iteration: ${iteration} of ${bound} (counted from 0)`,
    ...(baseCommit === null ? [] : [`Base commit: ${baseCommit}`]),
  ];
  const sections = tellsEarlier && earlier.length > 0 ? earlierSections(earlier) : [];
  return [
    { text: "<task_context>\n## Original Task\n" },
    ...task,
    { text: progress.join("\n") },
    ...(plan === undefined ? [] : [{ text: `\n\n## Plan\n${cut(plan, MAX_PLAN_CHARS)}` }]),
    ...(sections.length === 0 ? [] : [{ text: "\n\n## Previous Iterations" }, ...sections]),
    ...(check === undefined ? [] : checkSection(check)),
    { text: "\n</task_context>\n\n" },
  ];
}

function checkSection({ iteration, command, report }: FailedCheck): FilledText {
  const told = `The iterations go on until this command exits with 0:\n${command}\nAfter iteration ${iteration} it ended with:\n`;
  return [
    { text: `\n\n## Check\n${told}` },
    { text: report, source: `check after iteration ${iteration}` },
  ];
}

/** The newest count: what does not fit is counted, from the oldest on. */
function earlierSections(earlier: readonly IterationRecord[]): FilledText {
  const parts = earlier.map((record, index) =>
    index < earlier.length - MOST_SECTIONS
      ? lineOf(record)
      : sectionOf(record, index === earlier.length - 1),
  );
  let room = MAX_EARLIER_CHARS;
  let first = parts.length;
  while (first > 0) {
    room -= charsOf(parts[first - 1] ?? []);
    if (room < 0) break;
    first -= 1;
  }
  const left = first === 0 ? [] : [{ text: `\n${first} earlier iterations are left out here.` }];
  return [...left, ...parts.slice(first).flat()];
}

/** The last failure stands there whole, earlier ones by their headline. */
function sectionOf(record: IterationRecord, isLast: boolean): FilledText {
  const { iteration, commitId, success, summary, report = summary } = record;
  const commit = commitId === null ? "" : ` → commit ${commitId}`;
  const heading = `\n### Iteration ${iteration}${success ? "" : " (failed)"}${commit}`;
  return [
    { text: `${heading}${filesLine(record)}\n${success ? "Summary" : "Failed"}: ` },
    said(iteration, isLast ? report : summary),
  ];
}

function lineOf({ iteration, success, summary }: IterationRecord): FilledText {
  const line = summary.replace(/\s+/g, " ");
  return [
    { text: `\n- Iteration ${iteration}${success ? "" : " (failed)"}: ` },
    said(iteration, cut(line, MAX_LINE_CHARS)),
  ];
}

function said(iteration: number, text: string): FilledPiece {
  return { text, source: `summary of iteration ${iteration}` };
}

function filesLine({ changedFiles, moreFiles = 0 }: IterationRecord): string {
  if (changedFiles.length === 0) return "";
  const files = changedFiles.slice(0, MOST_FILES_TOLD);
  const more = changedFiles.length - files.length + moreFiles;
  return `\nFiles: ${namedFiles({ files: files.map(inOneLine), more })}`;
}

/** A name of a file can hold anything but NUL. */
function inOneLine(path: string): string {
  return path.replace(/[\p{C}\p{Zl}\p{Zp}<>]/gu, "?");
}

function charsOf(part: FilledText): number {
  return part.reduce((sum, { text }) => sum + text.length, 0);
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}… (cut here)`;
}
