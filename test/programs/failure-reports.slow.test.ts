import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import type { TestStep } from "../../src/testing/define-test-workflow.ts";
import {
  resumeInMemory,
  runStepsInMemory,
  runWorkflowInMemory,
} from "../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../src/testing/tested-run.ts";
import { moved, type RecordedRun, writeRuns } from "../recorded/recorded-run.ts";

// The assertion is in the middle of what is printed, on stdout, and stderr ends with something else.
const TESTS = [
  "seq 1 100",
  "echo 'AssertionError: 6 is not 7'",
  "seq 101 300",
  "echo 'npm error path /project' >&2",
  "exit 3",
].join("; ");
const CAUSE = "exit 3: AssertionError: 6 is not 7";
const FORMATS = [1, 2] as const;
const told = { agents: { worker: [{ say: "DONE: one" }, { say: "DONE: two" }] } };

function place(): string {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-failures-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  return cwd;
}

/** All that the agents of a run were asked. */
function prompts(run: FinishedRun): string {
  return run
    .all("operation-scheduled")
    .flatMap(({ kind, input }) => (kind === "turn" ? [JSON.stringify(input)] : []))
    .join("\n");
}

interface Place {
  readonly place: string;
  /** Runs it, and returns what reached the next attempt. */
  readonly run: (format: 1 | 2, cwd: string) => Promise<string>;
}

const worker = { id: "worker" };
const verify = [{ kind: "command", command: TESTS, expectExit: 0 }] as const;
// Fails at first, and then prints what it was given.
const AGAIN = `if [ "$TROUPE_ATTEMPT" = 1 ]; then ${TESTS}; fi; printf %s "$TROUPE_PREVIOUS_ERROR"`;

const PLACES: readonly Place[] = [
  {
    place: "the retry preface after a check of a pattern's step",
    run: async (format, cwd) => {
      const step = { id: "fix", agent: "worker", verify, maxAttempts: 2 };
      const workflow = { format, agents: [worker], steps: [step] };
      const turns = told.agents;
      return prompts(await runWorkflowInMemory(workflow, { cwd, task: "fix", turns }));
    },
  },
  {
    place: "the retry preface after a check of a step workflow's step",
    run: async (format, cwd) => {
      const step = { id: "fix", type: "agent", settings: { agent: "worker" } };
      const steps = [{ ...step, verify, maxAttempts: 2 }];
      const workflow = { format, agents: [worker], steps };
      return prompts(await runStepsInMemory(workflow, { cwd, input: "fix", turns: told.agents }));
    },
  },
  {
    place: "TROUPE_PREVIOUS_ERROR of a command step of a pattern",
    run: async (format, cwd) => {
      const step = { id: "test", run: { command: AGAIN }, maxAttempts: 2 };
      const run = await runWorkflowInMemory({ format, agents: [], steps: [step] }, { cwd });
      return run.all("step-completed")[0]?.output ?? "";
    },
  },
  {
    place: "TROUPE_PREVIOUS_ERROR of a shell step",
    run: async (format, cwd) => {
      const step = { id: "test", type: "shell", settings: { command: AGAIN }, maxAttempts: 2 };
      const run = await runStepsInMemory({ format, steps: [step] }, { cwd });
      return run.all("step-completed")[0]?.output ?? "";
    },
  },
  {
    place: "TROUPE_PREVIOUS_ERROR of an agent that is a command",
    run: async (format, cwd) => {
      const agent = { id: "tester", backend: "command", settings: { command: AGAIN } };
      const step = { id: "test", agent: "tester", maxAttempts: 2 };
      const run = await runWorkflowInMemory({ format, agents: [agent], steps: [step] }, { cwd });
      return run.all("step-completed")[0]?.output ?? "";
    },
  },
  {
    place: "the prompt of a fallback",
    run: async (format, cwd) => {
      const tester = { id: "tester", backend: "command", settings: { command: TESTS } };
      const step = { id: "fix", agent: "tester", fallback: ["worker"] };
      const workflow = { format, agents: [tester, worker], steps: [step] };
      return prompts(await runWorkflowInMemory(workflow, { cwd, turns: told.agents }));
    },
  },
  {
    place: "the prompt of the one it is escalated to",
    run: async (format, cwd) => {
      const tester = { id: "tester", backend: "command", settings: { command: TESTS } };
      const step = { id: "fix", agent: "tester", escalateTo: "worker" };
      const workflow = { format, agents: [tester, worker], steps: [step] };
      return prompts(await runWorkflowInMemory(workflow, { cwd, turns: told.agents }));
    },
  },
  {
    place: "the next iteration of a series",
    run: async (format, cwd) => {
      const options = { count: 2, verify: [{ command: TESTS }] };
      const workflow = { format, pattern: "iterate", agents: [worker], options };
      return prompts(await runWorkflowInMemory(workflow, { cwd, task: "fix", turns: told.agents }));
    },
  },
  {
    place: "the results of a matrix",
    run: async (format, cwd) => {
      const steps: readonly TestStep[] = [
        { id: "test (a)", instance: { of: "test", matrix: { on: "a" } }, run: { command: TESTS } },
        { id: "test (b)", instance: { of: "test", matrix: { on: "b" } }, run: { command: TESTS } },
        { id: "test", gathers: { failFast: false }, dependsOn: ["test (a)", "test (b)"] },
        {
          ...{ id: "worker", dependsOn: ["test"], runs: "on-failure" },
          prompt: "{{steps.test.results}}",
        },
      ];
      const workflow = { format, agents: [worker], steps };
      return prompts(await runWorkflowInMemory(workflow, { cwd, task: "fix", turns: told.agents }));
    },
  },
];

test.each(PLACES)(
  "$place hands on the report in format 2 alone [FAIL-5.agents]",
  async ({ run }) => {
    const [before, now] = await Promise.all(FORMATS.map((format) => run(format, place())));
    expect(now).toContain(CAUSE);
    expect(now).toMatch(/… \d+ lines …/);
    expect(now).toMatch(/all of it: troupe show run_\w+ --step .{1,30} --output/);
    expect(before).not.toContain(CAUSE);
    expect(before).not.toContain("all of it: ");
  },
);

/** A run whose owner died before its second turn began. */
function killedBeforeSecondTurn(run: FinishedRun): RecordedRun {
  const journal = run.machine.store.open(run.id, "read");
  const [, second] = run.all("operation-scheduled").filter(({ kind }) => kind === "turn");
  const events = run.events.filter(({ seq }) => seq < (second?.seq ?? 0));
  const hashes = JSON.stringify(events).match(/[0-9a-f]{64}/g) ?? [];
  const texts = new Map<string, string>();
  for (const hash of hashes) {
    const text = journal.blob(hash);
    if (text !== undefined) texts.set(hash, text);
  }
  journal.close();
  return { run: run.id, events, texts };
}

test.each([
  [1, "exit 3, expected 0", "exit 3, expected 0"],
  [2, CAUSE, "exit 3: the report of an earlier version"],
] as const)(
  "a replay of format %s reads what was recorded, and makes no report [REP-7.once, FAIL-1.old]",
  async (format, known, earlier) => {
    const cwd = place();
    const step = { id: "fix", agent: "worker", verify, maxAttempts: 2 };
    const workflow = { format, agents: [worker], steps: [step] };
    const run = await runWorkflowInMemory(workflow, { cwd, task: "fix", turns: told.agents });
    expect(prompts(run)).toContain(known);
    const altered = moved(killedBeforeSecondTurn(run), known, earlier);
    const machine = createMachineAt({ cwd, store: "memory" });
    await writeRuns(machine, [altered]);
    const { store } = machine;
    const resumed = await (await resumeInMemory(run.id, { cwd, store })).over();
    expect(resumed.outcome).toBe("failed");
    expect(prompts(resumed)).toContain(earlier);
    const end = resumed.all("run-ended").at(-1);
    expect(end?.error?.code).toBe("STEP_VERIFICATION_FAILED");
  },
);
