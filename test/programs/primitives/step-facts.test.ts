import { expect, test } from "vitest";
import { factsOfNothing } from "../../../src/contracts/step-facts.ts";
import { type StepResult, stepFacts } from "../../../src/programs/primitives/step-results.ts";

const ended = { attempts: 2, durationMs: 5, agent: undefined };
const told = { attempts: 2, durationMs: 5 };
const allowed = { code: "STEP_SHELL_FAILED", message: "it failed", report: "exit 3: no" };

const CASES: readonly (readonly [string, StepResult, object])[] = [
  [
    "a command that went well",
    {
      ...{ status: "completed", output: "a", text: "a", reason: "exit", ...ended },
      command: { exitCode: 0, stdout: "a", stderr: "" },
    },
    {
      ...{ status: "completed", output: "a", text: "a", outcome: "exit", error: null, ...told },
      ...{ exitCode: 0, stdout: "a", stderr: "" },
    },
  ],
  [
    "a command whose failure is allowed",
    {
      ...{
        status: "completed",
        output: "a",
        text: "a",
        reason: "exit",
        outcome: "exit 3",
        ...ended,
      },
      command: { exitCode: 3, stdout: "a", stderr: "no", error: allowed },
    },
    {
      ...{
        status: "completed",
        output: "a",
        text: "a",
        outcome: "exit 3",
        error: allowed,
        ...told,
      },
      ...{ exitCode: 3, stdout: "a", stderr: "no" },
    },
  ],
  [
    "a command that failed",
    {
      ...{ status: "failed", output: "a", ...ended },
      error: {
        code: "STEP_SHELL_FAILED",
        message: "it failed",
        details: {
          failure: { exitCode: 3, signal: null, stdout: "a", stderr: "no", report: "exit 3: no" },
        },
      },
      command: { exitCode: 3, stdout: "a", stderr: "no" },
    },
    {
      ...{ status: "failed", output: "a", text: "a", outcome: "STEP_SHELL_FAILED", ...told },
      ...{ error: allowed, exitCode: 3, stdout: "a", stderr: "no" },
    },
  ],
  [
    "an agent that failed",
    {
      ...{ status: "failed", output: "I cannot", ...ended, agent: "a" },
      error: { code: "AGENT_REPORTED_FAILURE", message: "it says no" },
    },
    {
      ...{ status: "failed", output: "I cannot", text: "I cannot", ...told },
      outcome: "AGENT_REPORTED_FAILURE",
      error: { code: "AGENT_REPORTED_FAILURE", message: "it says no", report: "it says no" },
      ...{ exitCode: null, stdout: null, stderr: null },
    },
  ],
  ["a step that was blocked", { status: "blocked", by: ["a"] }, factsOfNothing("blocked")],
];

test.each(CASES)("%s has the same facts for every variable", (_what, result, facts) => {
  expect(stepFacts(result)).toEqual(facts);
});
