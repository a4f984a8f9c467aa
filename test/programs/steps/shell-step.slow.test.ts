import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StepType } from "../../../src/contracts/ports/step-type.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { shellStep } from "../../../src/programs/steps/shell-step.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import {
  runStepsInMemory,
  startStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { dataIn, failuresIn, messagesIn } from "./flow-data.ts";

type Settings = { readonly [key: string]: Json };

const shell = (settings: Settings, more: Partial<TestFlowStep> = {}): TestFlowStep => ({
  id: "cmd",
  type: "shell",
  settings,
  ...more,
});

const about = { nestedCount: 0, routes: [] };

test("a shell step keeps exit code, stdout and stderr as they were printed [STP-1]", async () => {
  const run = await runStepsInMemory({
    steps: [shell({ command: "echo out; printf err >&2" })],
  });
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)).toEqual({ cmd: { exitCode: 0, stdout: "out\n", stderr: "err" } });
  expect(run.all("step-completed")).toMatchObject([{ output: "out", reason: "exit" }]);
});

test("another exit code fails the step, which keeps its data for whoever comes next [STP-1, STP-6]", async () => {
  const run = await runStepsInMemory({
    steps: [
      shell(
        { command: "echo 3 wrong; echo broken >&2; exit 3" },
        { routes: { on_error: "after" } },
      ),
      { id: "after", type: "transform", settings: { transform: "context.cmd.exitCode" } },
    ],
  });
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)).toEqual({
    cmd: { exitCode: 3, stdout: "3 wrong\n", stderr: "broken\n" },
    after: 3,
  });
  expect(messagesIn(run)).toEqual({
    cmd: 'the command of step "cmd" ended with exit 3: broken',
  });
});

test("values are data in shell texts, arguments, variables and input, whatever they hold [T6, WF-4]", async () => {
  const cwd = temporaryDirectory();
  const evil = "$(touch pwned) `touch pwned`; touch pwned\n\"' {{input.x}} \\ & | > pwned %s";
  const steps = [
    shell({ command: "printf %s {{input.x}}" }, { id: "text", routes: { next: "argv" } }),
    shell({ command: ["printf", "%s", "{{input.x}}"] }, { id: "argv", routes: { next: "env" } }),
    shell(
      { command: 'printf %s "$VALUE"', env: { VALUE: "{{input.x}}" } },
      { id: "env", routes: { next: "stdin" } },
    ),
    shell({ command: "cat", stdin: "{{input.x}}" }, { id: "stdin" }),
  ];
  const run = await runStepsInMemory({ steps }, { cwd, input: { x: evil } });
  const said = Object.values(dataIn(run)).map((data) => Object(data).stdout);
  expect(said).toEqual([evil, evil, evil, evil]);
  expect(() => readFileSync(join(cwd, "pwned"))).toThrow(/ENOENT/);
});

test("stdin is the whole input as one line of JSON unless the step says otherwise [STP-5]", async () => {
  const run = await runStepsInMemory(
    {
      steps: [
        {
          id: "plan",
          type: "transform",
          settings: { transform: "input.n" },
          routes: { next: "cmd" },
        },
        shell({ command: "cat", parse: "json" }, { input: "plan" }),
      ],
    },
    { input: { n: 7 } },
  );
  expect(dataIn(run)["cmd"]).toMatchObject({
    json: { input: { n: 7 }, context: { plan: 7 }, plan: 7 },
    stdout: '{"input":{"n":7},"context":{"plan":7},"plan":7}\n',
  });
});

test("parse: json keeps what was printed as a value, and anything else than JSON fails the step [STP-1]", async () => {
  const step = (id: string, command: string, next?: string) =>
    shell(
      { command, parse: "json" },
      { id, routes: { ...(next === undefined ? {} : { on_error: next }) } },
    );
  const run = await runStepsInMemory({
    steps: [
      step("words", "echo no json", "half"),
      step("half", 'printf \'{"a": 1} {"b": 2}\'', "huge"),
      step("huge", 'printf \'{"__proto__": {"x": 1}, "n": 1e999}\'', "good"),
      step("good", 'printf \'{"__proto__": {"x": 1}}\''),
    ],
  });
  expect(failuresIn(run)).toEqual({
    words: "STEP_OUTPUT_NOT_JSON",
    half: "STEP_OUTPUT_NOT_JSON",
    huge: "STEP_OUTPUT_NOT_JSON",
  });
  expect(JSON.stringify(Object(dataIn(run)["good"]).json)).toBe('{"__proto__":{"x":1}}');
});

test("a command is told where it stands, and a further attempt what went wrong before [STP-4, P2]", async () => {
  const command =
    'echo "$TROUPE_STEP $TROUPE_ATTEMPT $TROUPE_IDEMPOTENCY_KEY [$TROUPE_PREVIOUS_ERROR]"; test "$TROUPE_ATTEMPT" = 2';
  const run = await runStepsInMemory({ steps: [shell({ command }, { maxAttempts: 3 })] });
  expect(run.all("step-retrying")).toMatchObject([{ error: { code: "STEP_SHELL_FAILED" } }]);
  const first = `cmd 1 ${run.id}/cmd#1 []`;
  expect(run.all("step-completed")).toMatchObject([
    {
      attempt: 2,
      output: `cmd 2 ${run.id}/cmd#1 [exit 1: ${first}\n${first}]`,
    },
  ]);
});

test("at its deadline a command is ended, and may be tried again [STP-4, ENG-7.step, P12]", async () => {
  const cwd = temporaryDirectory();
  const clock = createManualClock();
  const command = "echo $$ > pid.$TROUPE_ATTEMPT; exec sleep 600";
  const started = await startStepsInMemory(
    { steps: [shell({ command }, { timeoutMs: 60_000, maxAttempts: 2 })] },
    { cwd, clock },
  );
  for (const attempt of [1, 2]) {
    const file = `pid.${attempt}`;
    await expect.poll(() => pidIn(cwd, file)).toBeGreaterThan(0);
    const pid = pidIn(cwd, file);
    await clock.advance(60_000);
    await expect.poll(() => isThere(pid)).toBe(false);
  }
  const run = await started.over();
  expect(run.outcome).toBe("failed");
  expect(run.all("step-retrying")).toMatchObject([{ error: { code: "STEP_TIMED_OUT" } }]);
  expect(failuresIn(run)).toEqual({ cmd: "STEP_TIMED_OUT" });
});

test("a cancelled run ends its commands [ENG-6]", async () => {
  const cwd = temporaryDirectory();
  const started = await startStepsInMemory(
    { steps: [shell({ command: "echo $$ > pid; exec sleep 600" })] },
    { cwd },
  );
  await started.event("step-started");
  await expect.poll(() => pidIn(cwd)).toBeGreaterThan(0);
  const pid = pidIn(cwd);
  await started.run.cancel("enough");
  expect((await started.over()).outcome).toBe("cancelled");
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function pidIn(cwd: string, file = "pid"): number {
  try {
    return Number(readFileSync(join(cwd, file), "utf8"));
  } catch {
    return 0;
  }
}

test("cwd lies below the run's directory, whatever variables and links make of it [T8]", async () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, "packages", "api"), { recursive: true });
  symlinkSync(temporaryDirectory(), join(cwd, "link"));
  const at = async (path: string) => {
    const step = shell({ command: "pwd", cwd: "{{input.at}}" });
    return runStepsInMemory({ steps: [step] }, { cwd, input: { at: path } });
  };
  expect((await at("packages/api")).all("step-completed")).toMatchObject([
    { output: join(cwd, "packages", "api") },
  ]);
  expect(failuresIn(await at("../.."))).toEqual({ cmd: "HOST_PATH_OUTSIDE" });
  expect(failuresIn(await at("/etc"))).toEqual({ cmd: "HOST_PATH_OUTSIDE" });
  expect(failuresIn(await at("link"))).toEqual({ cmd: "HOST_PATH_OUTSIDE" });
  expect(failuresIn(await at("packages/web"))).toEqual({ cmd: "STEP_DIRECTORY_MISSING" });
});

test("a variable too large for the environment is refused with its name and size [STP-1]", async () => {
  const step = shell({ command: "true", env: { BIG: "{{input}}" } });
  const run = await runStepsInMemory({ steps: [step] }, { input: "x".repeat(70_000) });
  expect(messagesIn(run)).toEqual({
    cmd: 'the environment variable BIG of step "cmd" has 70000 bytes (at most 65536)',
  });
});

test("what a shell step cannot mean is found at load [STP-1]", () => {
  const type: StepType = shellStep;
  const faultsOf = (settings: Settings) =>
    type.check?.(type.settings.parse(settings), about).map(({ key }) => key);
  expect(faultsOf({ command: "x", cwd: "a/b", env: { A: "1" } })).toEqual([]);
  expect(faultsOf({ command: [" "], cwd: "../x", env: { "a-b": "", TROUPE_RUN: "" } })).toEqual([
    "command",
    "cwd",
    "env",
    "env",
  ]);
  expect(shellStep.settings.safeParse({ command: "  " }).success).toBe(false);
  expect(shellStep.settings.safeParse({ command: "x", parse: "yaml" }).success).toBe(false);
});
