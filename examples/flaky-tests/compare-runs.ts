import type { AgentFunctionInput } from "troupe";
import type { TestRun } from "./run-tests.ts";

/** One line that counts, then a table of the tests that failed anywhere. The prompt has a run per line. */
export function compareRuns({ prompt }: AgentFunctionInput): string {
  const runs = prompt
    .split("\n")
    .filter(Boolean)
    .map((line): TestRun => JSON.parse(line));
  const tests = [...new Set(runs.flatMap(({ passed }) => Object.keys(passed)))];
  const failing = tests.filter((test) => runs.some((run) => run.passed[test] !== true));
  const flaky = failing.filter((test) => runs.some((run) => run.passed[test] === true));
  const counts = `${tests.length} tests in ${runs.length} runs: ${flaky.length} flaky, ${failing.length - flaky.length} broken`;
  if (failing.length === 0) return counts;
  const rows = failing.map((test) => [
    test.replaceAll("|", "\\|"),
    ...runs.map((run) => verdictOf(run, test)),
  ]);
  const head = ["test", ...runs.map(({ place }) => place)];
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${counts}\n\n${table.join("\n")}`;
}

/** Fails the run, and with it a CI job, unless every test passed everywhere. */
export function failOnFlaky({ prompt }: AgentFunctionInput): string {
  const [counts = ""] = prompt.split("\n");
  if (!counts.endsWith(": 0 flaky, 0 broken")) throw new Error(prompt);
  return counts;
}

function verdictOf({ passed }: TestRun, test: string): string {
  const isPassed = passed[test];
  if (isPassed === undefined) return "absent";
  return isPassed ? "ok" : "FAILED";
}
