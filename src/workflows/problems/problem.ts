import type { TroupeError } from "../../foundation/errors.ts";
import { present } from "../../foundation/present.ts";
import type { LineMap } from "../source/line-map.ts";
import { createLineMap } from "../source/line-map.ts";
import type { SourceRange } from "../source/source-node.ts";

/** A further place that belongs to a problem, with what it shows. */
export interface RelatedPlace {
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly label: string;
}

/** Something wrong in a workflow file. Lines and columns count from 1, columns in UTF-16 units. */
export interface Problem {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** First column after the marked text, on the same line. */
  readonly endColumn: number;
  readonly hint?: string;
  /** What the mark itself shows, where there are several. */
  readonly label?: string;
  readonly related?: readonly RelatedPlace[];
}

/** What a problem may say beyond its error. */
export interface ProblemOptions {
  readonly severity?: Problem["severity"];
  readonly label?: string;
  readonly related?: readonly { readonly range: SourceRange; readonly label: string }[];
}

// Finding near names for more would take long.
const MAX_PROBLEMS = 100;

/** Collects problems of one file. */
export interface ProblemCollector {
  /** Whether 100 problems are there and further ones are dropped. */
  readonly isFull: boolean;
  add(error: TroupeError, range: SourceRange, options?: ProblemOptions): void;
  /** All problems by position, each once. */
  sorted(): readonly Problem[];
}

/** A collector for a file with this text. */
export function createProblemCollector(file: string, text: string): ProblemCollector {
  const lines = createLineMap(text);
  const problems = new Map<string, Problem>();
  return {
    get isFull() {
      return problems.size >= MAX_PROBLEMS;
    },
    add: (error, range, { severity = "error", label, related } = {}) => {
      if (problems.size >= MAX_PROBLEMS) return;
      const { code, message, hint } = error;
      const place = toPlace(lines, range);
      const key = JSON.stringify([code, place.line, place.column, message]);
      problems.set(key, {
        ...{ code, severity, message, file, ...place },
        ...present({ hint, label }),
        ...(related === undefined
          ? {}
          : { related: related.map((part) => toRelated(lines, part)) }),
      });
    },
    sorted: () =>
      [...problems.values()].sort(
        (left, right) => left.line - right.line || left.column - right.column,
      ),
  };
}

/** Whether no problem is an error. */
export function isOk(problems: readonly Problem[]): boolean {
  return problems.every((problem) => problem.severity !== "error");
}

type MarkedPlace = Pick<Problem, "line" | "column" | "endColumn">;

function toRelated(
  lines: LineMap,
  part: { readonly range: SourceRange; readonly label: string },
): RelatedPlace {
  return { ...toPlace(lines, part.range), label: part.label };
}

function toPlace(lines: LineMap, range: SourceRange): MarkedPlace {
  const { line, column } = lines.positionAt(range.start);
  const end = lines.positionAt(Math.max(range.start, range.end));
  const lineEnd = lines.lineText(line).length + 1;
  const endColumn = end.line === line ? end.column : lineEnd;
  return {
    line,
    column,
    endColumn: Math.max(column + 1, Math.min(endColumn, Math.max(lineEnd, column + 1))),
  };
}
