import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { builtInPatterns } from "../../../src/programs/patterns/registry.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { load } from "../../workflows/load-options.ts";
import { runWoken } from "./woken-run.ts";

const once = { maxAttempts: 1, retryDelayMs: 0 };
const broken = { fail: { code: "X", message: "no disk", retryable: true } };
const argues = { repeat: "cycle", turns: [{ say: "ARGUMENT: simple" }] };

const debate: TestWorkflow = {
  pattern: "debate",
  agents: [{ id: "mono" }, { id: "poly" }],
  options: { positions: { mono: "one", poly: "many" }, maxRounds: 2 },
  turns: once,
};

const CAUSES: {
  readonly [when: string]: Partial<TestWorkflow> & {
    readonly poly: Json;
    readonly taken: number;
    readonly why: string;
  };
} = {
  "after its last attempt": {
    ...{ turns: { ...once, maxAttempts: 2 }, poly: [broken, broken] },
    ...{ taken: 2, why: "no disk" },
  },
  "with FAILED": { poly: [{ say: "FAILED: no idea" }], taken: 1, why: "no idea" },
  "with BLOCKED": { poly: [{ say: "BLOCKED: no key" }], taken: 1, why: "no key" },
  "without its signal after a reminder": {
    ...{ poly: [{ say: "hm" }, { say: "hm" }] },
    ...{ taken: 2, why: "without ARGUMENT, also after a reminder" },
  },
  "when its turn takes too long": {
    ...{ turns: { ...once, timeoutMs: 60_000 }, poly: [{ hang: true }] },
    ...{ taken: 1, why: "did not end its turn within 60000 ms" },
  },
  "at its budget": {
    agents: [{ id: "mono" }, { id: "poly", budget: { turns: 1 } }],
    ...{ poly: [{ say: "ARGUMENT: a" }, { say: "ARGUMENT: b" }], taken: 1, why: "1 turn" },
  },
};

test.each(Object.entries(CAUSES))(
  "a participant has failed %s: it leaves, and system tells those that go on [PAT-fail.when, PAT-fail.told]",
  async (_when, { poly, taken, why, ...more }) => {
    const start = { task: "x", turns: { mono: argues, poly } };
    const run = await runWoken({ ...debate, ...more }, start);
    expect(run).toMatchObject({ outcome: "completed", result: { output: "converged: one" } });
    expect(run.turns["poly"]).toBe(taken);
    const told = run.said.filter((line) => line.startsWith("system: poly takes part no more: "));
    expect(told).toEqual([expect.stringContaining(why)]);
  },
);

test("an attempt that fails is followed by another one, and a turn may take any time [PAT-fail.when]", async () => {
  const run = await runWoken(
    { ...debate, turns: { ...once, maxAttempts: 2 } },
    { task: "x", turns: { mono: argues, poly: [broken, { after: "99h", say: "CONCEDE: fine" }] } },
  );
  expect(run).toMatchObject({ outcome: "completed", result: { output: "converged: one" } });
  expect(run.turns).toEqual({ mono: 1, poly: 2 });
  expect(run.said.join()).not.toContain("takes part no more");
});

test("a failure ends a pipeline and a saga unless the file says otherwise, and no other pattern [PAT-fail.default]", () => {
  const aborting = builtInPatterns.filter(({ onFailure }) => onFailure !== "continue");
  expect(aborting.map(({ name, onFailure }) => [name, onFailure])).toEqual([
    ["pipeline", "abort"],
    ["saga", "abort"],
  ]);
  const inFile = (text: string) =>
    load(`name: f\nagents: [{ id: a }, { id: b }]\n${text}`).definition?.onFailure;
  expect(inFile("pattern: mesh")).toBe("continue");
  expect(inFile("pattern: pipeline")).toBe("abort");
  expect(inFile("pattern: mesh\nerrorHandling: { onFailure: abort }")).toBe("abort");
});

test.each([
  ["debate", debate],
  ["mesh", { pattern: "mesh", agents: debate.agents, turns: once }],
  [
    "hub-spoke",
    { pattern: "hub-spoke", agents: [{ id: "mono", role: "hub" }, { id: "poly" }], turns: once },
  ],
] as const)(
  "with abort any failure in a %s is that of the run [PAT-fail.abort]",
  async (_pattern, workflow) => {
    const run = await runWoken(
      { ...workflow, onFailure: "abort" },
      { task: "x", turns: { mono: [{ say: "ARGUMENT: a" }], poly: [{ say: "FAILED: no idea" }] } },
    );
    expect(run.outcome).toBe("failed");
    expect(run.reason).toMatch(/^agent "poly" failed: /);
  },
);

test.each([
  ["approved", "completed", "converged: one"],
  ["rejected", "failed", undefined],
] as const)(
  "with pause a person is asked whether the turn is taken again: %s [PAT-fail.pause]",
  async (decision, outcome, output) => {
    const clock = createManualClock();
    const started = await startInMemory(
      { ...debate, onFailure: "pause" },
      { clock, task: "x", turns: { mono: argues, poly: [broken, { say: "CONCEDE: fine" }] } },
    );
    const { approval, message } = await started.event("approval-requested");
    expect(message).toBe('agent "poly" failed: no disk');
    await started.run.command({ kind: "resolve-approval", approval, decision });
    const run = await started.over();
    expect(run.outcome).toBe(outcome);
    if (output !== undefined) expect(run.result?.output).toBe(output);
  },
);
