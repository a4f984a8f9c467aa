import type { Json } from "../../foundation/json.ts";
import type { Problem } from "./problem.ts";

/** Problems as a SARIF 2.1.0 log with one run. */
export function toSarif(problems: readonly Problem[], version: string): Json {
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
