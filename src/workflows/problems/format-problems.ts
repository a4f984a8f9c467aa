import type { Json } from "../../foundation/json.ts";
import { type CodeFrameOptions, renderProblem } from "./code-frame.ts";
import { isOk, type Problem } from "./problem.ts";

/** Output formats of `validate`. */
export const PROBLEM_FORMATS = ["text", "json", "github", "sarif"] as const;

export type ProblemFormat = (typeof PROBLEM_FORMATS)[number];

export interface FormatOptions extends CodeFrameOptions {
  /** Texts of the files that problems lie in, for the code frames. */
  readonly sources: ReadonlyMap<string, string>;
  /** Version of troupe, for SARIF. */
  readonly version: string;
}

/** Problems in one of the formats, ending without a line break; empty text when there is nothing to say. */
export function formatProblems(
  problems: readonly Problem[],
  format: ProblemFormat,
  options: FormatOptions,
): string {
  switch (format) {
    case "text":
      return problems
        .map((problem) => renderProblem(problem, options.sources.get(problem.file) ?? "", options))
        .join("\n\n");
    case "json":
      return JSON.stringify({ v: 1, ok: isOk(problems), problems });
    case "github":
      return problems.map(toGithub).join("\n");
    case "sarif":
      return JSON.stringify(toSarif(problems, options.version), null, 2);
  }
}

/** A workflow command of GitHub Actions, whose properties escape more than its message does. */
function toGithub(problem: Problem): string {
  const { file, line, column, endColumn, code, message, hint } = problem;
  const properties = { file, line, col: column, endColumn: endColumn - 1, title: code };
  const list = Object.entries(properties)
    .map(
      ([key, value]) =>
        `${key}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
    )
    .join(",");
  return `::${problem.severity} ${list}::${escapeData(hint === undefined ? message : `${message}\n${hint}`)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Problems as a SARIF 2.1.0 log with one run. */
function toSarif(problems: readonly Problem[], version: string): Json {
  const rules = [...new Set(problems.map((problem) => problem.code))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "troupe", version, rules: rules.map((id) => ({ id })) } },
        columnKind: "utf16CodeUnits",
        results: problems.map((problem) => toResult(problem, rules.indexOf(problem.code))),
      },
    ],
  };
}

function toResult(problem: Problem, ruleIndex: number): Json {
  const { code, severity, message, hint, file, line, column, endColumn, related } = problem;
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: hint === undefined ? message : `${message}. ${hint}` },
    locations: [{ physicalLocation: toLocation(file, { line, column, endColumn }) }],
    ...(related === undefined
      ? {}
      : {
          relatedLocations: related.map((place) => ({
            physicalLocation: toLocation(file, place),
            message: { text: place.label },
          })),
        }),
  };
}

function toLocation(
  file: string,
  place: { readonly line: number; readonly column: number; readonly endColumn: number },
): Json {
  return {
    artifactLocation: { uri: encodeURI(file.toWellFormed().replaceAll("\\", "/")) },
    region: { startLine: place.line, startColumn: place.column, endColumn: place.endColumn },
  };
}
