import type { AgentFunctionInput } from "troupe";
import { type Finding, SEVERITIES } from "./finding.ts";

/** One line that counts, then a table from the most serious on. The prompt has the findings of a check per line. */
export function rankFindings({ prompt }: AgentFunctionInput): string {
  const findings = prompt
    .split("\n")
    .filter(Boolean)
    .flatMap((line): readonly Finding[] => JSON.parse(line));
  const ranked = SEVERITIES.map((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
  const counts = SEVERITIES.map((severity, index) => `${ranked[index]?.length} ${severity}`);
  const rows = ranked.flat().map(({ severity, name, problem }) => [severity, name, problem]);
  const table = [["severity", "package", "problem"], ["---", "---", "---"], ...rows];
  return [counts.join(", "), "", ...table.map(toLine)].join("\n");
}

/** Fails the run on findings of the severity in the first line of the prompt, or a higher one. */
export function failOnSerious({ prompt }: AgentFunctionInput): string {
  const [failOn = "", counts = "", ...table] = prompt.split("\n");
  const severities: readonly string[] = SEVERITIES;
  const serious = severities.slice(0, severities.indexOf(failOn) + 1);
  const lines = table.filter((line) =>
    serious.some((severity) => line.startsWith(`| ${severity} `)),
  );
  if (lines.length > 0) throw new Error(`${counts}; of ${failOn} or higher:\n${lines.join("\n")}`);
  return `${counts}; none of them fails the run`;
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
