import { expect, test } from "vitest";
import { loadSteps } from "./load-steps.ts";
import { head, MISTAKES, PLAIN as T } from "./mistakes.ts";

/** Problems in short: `CODE line:column` and what is marked there; warnings with a `~` before. */
function problemsOf(text: string): readonly string[] {
  return loadSteps(text, { backendOverride: "script" }).problems.map((problem) => {
    const { code, line, column, endColumn, severity } = problem;
    const marked = text.split("\n")[line - 1]?.slice(column - 1, endColumn - 1) ?? "";
    return `${severity === "warning" ? "~" : ""}${code} ${line}:${column} ${marked}`;
  });
}

test.each(MISTAKES)(
  "%s is told at its place [WF-1, WF-2.load, STP-2, STP-16]",
  (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  },
);

test("a misspelt or camelCase key is told with the one that is meant [WF-1]", () => {
  const hints = loadSteps(
    head(
      `  - { id: a, ${T}, maxRetries: 2, onError: b, retryDelayMs: 1, timeoutMs: 3 }`,
      `  - { id: b, ${T} }`,
    ),
  ).problems.map(({ hint = "" }) => hint.split("  ")[0]);
  expect(hints.slice(0, 4)).toEqual([
    "max_attempts counts all attempts: maxRetries: 2 is max_attempts: 3 here",
    'did you mean "on_error"?',
    'did you mean "retry_delay_ms"?',
    'did you mean "timeout_ms"?',
  ]);
});

test("a file that is wrong everywhere is told all of it at once, at most a hundred times [WF-1]", () => {
  const lines = Array.from({ length: 300 }, (_, index) => `  - { id: ${index}, type: no }`);
  expect(loadSteps(head(...lines)).problems).toHaveLength(100);
});
