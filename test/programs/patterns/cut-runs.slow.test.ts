import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
  startInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";

interface Case extends TestWorkflow {
  /** What is said until somebody hangs. */
  readonly said: { readonly [agent: string]: Json };
  /** Turns before that one. */
  readonly before: number;
  readonly metadata: object;
}

const hang = { hang: true };
const two = [{ id: "a" }, { id: "b" }];

const CASES: { readonly [pattern: string]: Case } = {
  mesh: {
    agents: two,
    said: { a: [{ say: "one" }, hang], b: [{ say: "DONE: b" }] },
    before: 2,
    metadata: { rounds: 1, settled: ["b"], ended: null },
  },
  consensus: {
    agents: two,
    said: { a: [{ say: "VOTE: approve" }], b: [hang] },
    before: 1,
    metadata: { votes: [{ agent: "a", vote: "approve" }], missing: ["b"] },
  },
  cascade: {
    agents: two,
    said: { a: [{ say: "DONE [confidence=0.2]: x" }], b: [hang] },
    before: 1,
    metadata: { tiers: [{ agent: "a", confidence: 0.2, accepted: false }], accepted: false },
  },
  handoff: {
    agents: two,
    said: { a: [{ say: "HANDOFF: b yours" }], b: [hang] },
    before: 1,
    metadata: { path: ["a", "b"], handoffs: [{ from: "a", to: "b" }], finishedBy: null },
  },
  debate: {
    agents: [...two, { id: "judge", role: "judge" }],
    said: { a: [{ say: "ARGUMENT: x" }], b: [hang] },
    before: 1,
    metadata: { rounds: [{ round: 1, arguments: [{ agent: "a", text: "x" }] }], verdict: null },
  },
  "hub-spoke": {
    agents: [{ id: "a", role: "hub" }, { id: "b" }],
    said: { a: [{ say: "go" }], b: [hang] },
    before: 1,
    metadata: { workers: [{ agent: "b" }], unfinished: ["b"] },
  },
};

const ways = ["deadline", "budget", "cancel"] as const;
const table = Object.keys(CASES).flatMap((pattern) => ways.map((way) => [pattern, way] as const));

test.each(table)(
  "a %s that is cut short by its %s says so and how far it came, and gives nobody a closing turn [PAT-cut.outcome, PAT-cut.metadata]",
  async (pattern, way) => {
    const { said, before, metadata, ...workflow } = CASES[pattern] ?? { agents: [], said: {} };
    const clock = createManualClock();
    const started = await startInMemory(
      {
        turns: { maxAttempts: 1, retryDelayMs: 0 },
        ...{ maxConcurrency: 1, pattern, ...workflow },
        ...(way === "deadline" ? { timeoutMs: 60_000 } : {}),
      },
      {
        clock,
        task: "x",
        turns: said,
        ...(way === "budget" ? { budget: { turns: before ?? 0 } } : {}),
      },
    );
    const turns = (before ?? 0) + (way === "budget" ? 0 : 1);
    let seen = 0;
    await started.event("turn-started", () => {
      seen += 1;
      return seen === turns;
    });
    if (way === "deadline") await clock.advance(60_000);
    if (way === "cancel") await started.run.cancel("enough");
    // What a budget stops has some time to end by itself.
    if (way === "budget") {
      await started.event("budget-exceeded");
      await clock.advance(60_000);
    }
    const run = await started.over();
    const [outcome, resumable] = {
      deadline: ["timed-out", true],
      budget: ["limit-reached", true],
      cancel: ["cancelled", false],
    }[way];
    expect(run.parting.event).toMatchObject({ outcome, resumable });
    expect(run.result?.metadata).toMatchObject(metadata ?? {});
    expect(run.all("turn-started")).toHaveLength(turns);
  },
);

test("a turn that was cut off is given the same prompt again [PAT-cut.again]", async () => {
  const clock = createManualClock();
  const store = createMemoryStore();
  const prompts: string[] = [];
  const workflow: TestWorkflow = {
    ...{ pattern: "handoff", timeoutMs: 60_000 },
    agents: [{ id: "a" }, { id: "b", backend: "function" }],
    turns: { maxAttempts: 1, retryDelayMs: 0 },
  };
  const started = await startInMemory(workflow, {
    ...{ clock, store, task: "refund" },
    turns: { a: [{ say: "About money.\nHANDOFF: b an invoice" }] },
    functions: {
      b: ({ prompt, signal }) => {
        prompts.push(prompt);
        return new Promise<string>((resolve) => {
          signal.addEventListener("abort", () => resolve("too late"));
        });
      },
    },
  });
  await started.event("turn-started", ({ agent }) => agent === "b");
  await clock.advance(60_000);
  const cut = await started.over();
  expect(cut.outcome).toBe("timed-out");
  const resumed = await resumeInMemory(cut.id, {
    ...{ clock, store, limits: { timeoutMs: 600_000 } },
    functions: {
      b: ({ prompt }) => {
        prompts.push(prompt);
        return "DONE: refunded";
      },
    },
  });
  const { result } = await resumed.over();
  expect(result).toMatchObject({ output: "refunded", metadata: { path: ["a", "b"] } });
  expect(prompts).toHaveLength(2);
  expect(prompts[0]).toContain("About money.");
  expect(prompts[1]).toBe(prompts[0]);
});

const call = (tool: string, input: Json): Json => ({ call: { tool, arguments: input } });
const turns = { maxAttempts: 1, retryDelayMs: 0 };

const BY_TOOL: readonly (readonly [kind: string, workflow: TestWorkflow, said: Json])[] = [
  [
    "vote",
    { pattern: "consensus", agents: [{ id: "a" }], turns },
    { a: [{ do: [call("vote", { vote: "approve" })], say: "I voted." }] },
  ],
  [
    "handoff",
    { pattern: "handoff", agents: two, turns },
    { a: [{ do: [call("handoff", { agent: "b", reason: "yours" })] }], b: [{ say: "DONE: x" }] },
  ],
  [
    "bid",
    { pattern: "auction", agents: two, turns },
    {
      a: [
        { do: [call("bid", { confidence: 0.9, approach: "by hand" })], say: "I bid." },
        { say: "DONE: x" },
      ],
      b: [{ say: "PASS" }],
    },
  ],
];

test.each(BY_TOOL)(
  "a %s that a turn has given by tool counts once wherever the run was killed [PAT-cut.once]",
  async (kind, workflow, said) => {
    const store = createCuttableStore();
    const whole = await runWorkflowInMemory(workflow, { store, task: "x", turns: said });
    expect(whole.outcome).toBe("completed");
    for (const seq of store.commits(whole.id).slice(0, -1)) {
      const cut = await store.cutAfter(whole.id, seq);
      const run = await (await resumeInMemory(whole.id, { store: cut })).over();
      const counted = run.state.advances.filter((advance) => advance.kind === kind);
      expect(counted, `after event ${seq}`).toHaveLength(1);
      expect(run.result?.metadata, `after event ${seq}`).toEqual(whole.result?.metadata);
    }
  },
);
