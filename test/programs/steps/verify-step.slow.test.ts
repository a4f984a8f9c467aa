import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { VerificationSpec } from "../../../src/contracts/step.ts";
import {
  runStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { failuresIn } from "./flow-data.ts";

const command = (text: string): VerificationSpec => ({
  kind: "command",
  command: text,
  expectExit: 0,
});
const shell = (text: string, more: Partial<TestFlowStep>): TestFlowStep => ({
  id: "build",
  type: "shell",
  settings: { command: text },
  ...more,
});

test("checks of a step see its workflow, and a failed one is told to the next attempt [WF-11.checks]", async () => {
  const cwd = temporaryDirectory();
  const text =
    'if [ -n "$TROUPE_PREVIOUS_ERROR" ]; then printf %s "$TROUPE_PREVIOUS_ERROR" > told; fi';
  const verify: readonly VerificationSpec[] = [
    { kind: "fileExists", path: "{{input.file}}" },
    command("test -s {{input.file}}"),
  ];
  const run = await runStepsInMemory(
    { steps: [shell(text, { verify, maxAttempts: 2 })] },
    { cwd, input: { file: "told" } },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("verification-failed")).toMatchObject([
    { step: "build", check: "fileExists {{input.file}}", output: "there is no told" },
  ]);
  expect(run.all("verification-passed")).toHaveLength(2);
  expect(run.all("step-completed")).toMatchObject([{ attempt: 2, reason: "verified" }]);
  expect(readFileSync(join(cwd, "told"), "utf8")).toContain("there is no told");
});

test("output and data of any step can be checked [WF-11.checks]", async () => {
  const schema = { type: "object", required: ["n"], properties: { n: { type: "number" } } };
  const flow = (input: { readonly n: number | string }) =>
    runStepsInMemory(
      {
        steps: [
          {
            id: "take",
            type: "transform",
            settings: { transform: "input" },
            verify: [
              { kind: "jsonSchema", schema },
              { kind: "outputMatches", pattern: '"n":\\d' },
            ],
          },
        ],
      },
      { input },
    );
  expect((await flow({ n: 1 })).outcome).toBe("completed");
  const wrong = await flow({ n: "one" });
  expect(failuresIn(wrong)).toEqual({ take: "STEP_VERIFICATION_FAILED" });
  expect(wrong.all("verification-failed")).toMatchObject([{ check: "jsonSchema" }]);
});

test("a step that changes what checks it has failed, and the script is as it was [WF-11.checks]", async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "check.sh"), "exit 1");
  const verify = [command("sh check.sh")];
  const cheat = await runStepsInMemory(
    { steps: [shell("echo 'exit 0' > check.sh", { verify })] },
    { cwd },
  );
  expect(failuresIn(cheat)).toEqual({ build: "STEP_GATE_CHANGED" });
  expect(readFileSync(join(cwd, "check.sh"), "utf8")).toBe("exit 1");
  const failing = await runStepsInMemory(
    { steps: [shell("echo 'exit 0' > check.sh; exit 4", { verify })] },
    { cwd },
  );
  expect(failuresIn(failing)).toEqual({ build: "STEP_SHELL_FAILED" });
  expect(readFileSync(join(cwd, "check.sh"), "utf8")).toBe("exit 1");
});

test("an agent's step is checked where the agent works [WF-11.checks]", async () => {
  const [cwd, place] = [temporaryDirectory(), temporaryDirectory()];
  writeFileSync(join(place, "here"), "");
  const run = await runStepsInMemory(
    {
      agents: [{ id: "worker", backend: "function", cwd: place }],
      steps: [
        {
          id: "work",
          type: "agent",
          settings: { agent: "worker" },
          verify: [{ kind: "fileExists", path: "here" }],
        },
      ],
    },
    { cwd, functions: { worker: () => "done" } },
  );
  expect(run.outcome).toBe("completed");
});
