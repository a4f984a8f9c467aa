import { toErrorReport } from "../../foundation/errors.ts";
import type { FormatOptions, ProblemFormat } from "../../workflows/problems/format-problems.ts";
import type { Problem } from "../../workflows/problems/problem.ts";
import { isOk } from "../../workflows/problems/problem.ts";
import { VERSION } from "../machine/place/version.ts";

/** Problems of files in one of the formats; empty when there is nothing to say. */
export async function showProblems(
  problems: readonly Problem[],
  format: ProblemFormat,
  options: Pick<FormatOptions, "sources" | "style" | "width">,
): Promise<string> {
  const { formatProblems } = await import("../../workflows/problems/format-problems.ts");
  return formatProblems(problems, format, { ...options, version: VERSION });
}

/** Whether a file with these problems can be run. */
export function areHarmless(problems: readonly Problem[]): boolean {
  return isOk(problems);
}

/** An error of a whole file as a problem at its beginning. */
export function toProblem(error: unknown, file: string): Problem {
  const { code, message, hint } = toErrorReport(error);
  const place = { file, line: 1, column: 1, endColumn: 2 };
  return { ...place, code, severity: "error", message, ...(hint === undefined ? {} : { hint }) };
}
