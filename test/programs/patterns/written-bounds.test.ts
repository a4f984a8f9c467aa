import { expect, test } from "vitest";
import type { ConversationBounds } from "../../../src/contracts/definition.ts";
import type { Json } from "../../../src/foundation/json.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import {
  runStepsInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { dataIn } from "../steps/flow-data.ts";

function bounded(workflow: TestWorkflow, bounds: ConversationBounds): TestWorkflow {
  return { ...workflow, turns: { maxAttempts: 1, retryDelayMs: 0, bounds } };
}

const reasonOf = (run: FinishedRun) => run.all("run-ended")[0]?.reason;
const talking: Json = { repeat: "cycle", turns: [{ say: "I go on" }] };
const peers: TestWorkflow = {
  pattern: "mesh",
  agents: [{ id: "a" }, { id: "b" }],
  options: { maxRounds: 9 },
};

test.each([
  [{ turnsPerAgent: 2 }, /^agent "[ab]" has had 2 turns \(options.bounds.turnsPerAgent\)$/],
  [{ messages: 3 }, /^the agents have posted 3 messages \(options.bounds.messages\)$/],
  [{ pingPong: 3 }, /only answered each other, 3 times \(options.bounds.pingPong\)$/],
] as const)(
  "a mesh ends at %o: whoever has not said DONE is asked for it, with it the run is completed [PAT-bounds, PAT-ends.asks, PAT-ends.completed, PAT-ends.limit]",
  async (bounds, bound) => {
    const silent = await runWorkflowInMemory(bounded(peers, bounds), {
      task: "x",
      turns: { a: talking, b: talking },
    });
    expect(silent.outcome).toBe("limit-reached");
    expect(reasonOf(silent)).toMatch(/^0 of 2 peers done: /);
    expect(reasonOf(silent)?.replace("0 of 2 peers done: ", "")).toMatch(bound);
    expect(silent.result).toMatchObject({ metadata: { ended: "bounds" } });
    const asked: Json = [{ say: "one" }, { say: "two" }, ...Array(4).fill({ say: "DONE: mine" })];
    const done = await runWorkflowInMemory(bounded(peers, bounds), {
      task: "x",
      turns: { a: asked, b: asked },
    });
    expect(done.outcome).toBe("completed");
    expect(done.result).toMatchObject({ metadata: { settled: ["a", "b"] } });
  },
);

test("a mesh without written bounds has its rounds alone [PAT-bounds]", async () => {
  const run = await runWorkflowInMemory(
    { ...peers, turns: { maxAttempts: 1, retryDelayMs: 0 } },
    { task: "x", turns: { a: talking, b: talking } },
  );
  expect(run.result).toMatchObject({ metadata: { rounds: 9, ended: "rounds" } });
});

const desk: TestWorkflow = {
  pattern: "handoff",
  agents: [{ id: "a" }, { id: "b" }],
  options: { maxHandoffs: 50 },
};
const hand = (to: string): Json => ({ say: `HANDOFF: ${to} yours` });

test("whoever holds the task at a broken bound is to finish it: DONE completes, anything else has reached the limit [PAT-bounds, PAT-ends.asks, PAT-ends.completed, PAT-ends.limit]", async () => {
  const round: Json = [hand("b"), hand("b"), hand("b"), { say: "DONE: by a" }];
  const finished = await runWorkflowInMemory(bounded(desk, { turnsPerAgent: 2 }), {
    task: "x",
    turns: { a: round, b: [hand("a"), hand("a"), hand("a")] },
  });
  expect(finished.outcome).toBe("completed");
  expect(finished.result).toMatchObject({ output: "by a", metadata: { finishedBy: "a" } });
  const cycle = (to: string): Json => ({ repeat: "cycle", turns: [hand(to)] });
  const over = await runWorkflowInMemory(bounded(desk, { pingPong: 4 }), {
    task: "x",
    turns: { a: cycle("b"), b: cycle("a") },
  });
  expect(over.outcome).toBe("limit-reached");
  expect(reasonOf(over)).toMatch(/only answered each other, 4 times \(options.bounds.pingPong\)$/);
  expect(over.result).toMatchObject({ metadata: { finishedBy: null } });
});

test("a debate at a broken bound goes to its judge, and without one it has reached the limit [PAT-bounds, PAT-ends.limit]", async () => {
  const debate = (agents: TestWorkflow["agents"]): TestWorkflow =>
    bounded(
      { pattern: "debate", agents, options: { maxRounds: 9, positions: { x: "X", y: "Y" } } },
      { messages: 3 },
    );
  const argue: Json = { repeat: "cycle", turns: [{ say: "ARGUMENT: mine" }] };
  const sides = [{ id: "x" }, { id: "y" }];
  const judged = await runWorkflowInMemory(debate([...sides, { id: "j", role: "judge" }]), {
    task: "x",
    turns: { x: argue, y: argue, j: [{ say: "VERDICT: X\nDONE: better" }] },
  });
  expect(judged.outcome).toBe("completed");
  expect(judged.result).toMatchObject({ metadata: { winner: "X" } });
  const open = await runWorkflowInMemory(debate(sides), {
    task: "x",
    turns: { x: argue, y: argue },
  });
  expect(open.outcome).toBe("limit-reached");
  expect(reasonOf(open)).toBe("the agents have posted 3 messages (options.bounds.messages)");
  expect(open.result).toMatchObject({ output: expect.stringContaining("split") });
});

test("voters whose talk has broken a bound vote next [PAT-bounds, PAT-ends.asks, PAT-ends.completed]", async () => {
  const vote: Json = [{ say: "hm" }, { say: "hm" }, ...Array(3).fill({ say: "VOTE: approve" })];
  const run = await runWorkflowInMemory(
    bounded(
      { pattern: "consensus", agents: [{ id: "a" }, { id: "b" }], options: { discussion: 20 } },
      { turnsPerAgent: 2 },
    ),
    { task: "x", turns: { a: vote, b: vote } },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({ metadata: { decision: "approved" } });
  expect(run.all("pattern-advanced").filter(({ kind }) => kind === "round").length).toBeLessThan(5);
});

test("a tier whose reminder would break a bound is asked once more, and its answer counts only if it is sure enough [PAT-bounds, PAT-ends.asks, PAT-ends.completed, PAT-ends.limit]", async () => {
  const tiers: TestWorkflow = bounded(
    {
      pattern: "cascade",
      agents: [{ id: "fast" }, { id: "strong" }],
      options: { tiers: [{ agent: "fast", confidenceThreshold: 0.9 }, { agent: "strong" }] },
    },
    { turnsPerAgent: 1 },
  );
  const strong: Json = [{ say: "DONE [confidence=1]: strong" }];
  const unsure = await runWorkflowInMemory(tiers, {
    task: "x",
    turns: {
      fast: [{ say: "hm" }, ...Array(3).fill({ say: "DONE [confidence=0.2]: fast" })],
      strong,
    },
  });
  expect(unsure.outcome).toBe("limit-reached");
  expect(reasonOf(unsure)).toContain("options.bounds.turnsPerAgent");
  expect(unsure.result).toMatchObject({ output: "fast" });
  const sure = await runWorkflowInMemory(tiers, {
    task: "x",
    turns: {
      fast: [{ say: "hm" }, ...Array(3).fill({ say: "DONE [confidence=1]: fast" })],
      strong,
    },
  });
  expect(sure.outcome).toBe("completed");
});

test("turns that an agent has had before its pattern do not count there [PAT-bounds]", async () => {
  const turns: Json = [
    ...Array(3).fill({ say: "DONE: ready" }),
    { say: "hm" },
    { say: "DONE: in it" },
  ];
  const run = await runStepsInMemory(
    {
      agents: [{ id: "a" }],
      steps: [
        ...["one", "two", "three"].map((id, index, ids) => ({
          id,
          type: "agent" as const,
          settings: { agent: "a" },
          routes: { next: ids[index + 1] ?? "meet" },
        })),
        {
          id: "meet",
          type: "pattern" as const,
          settings: {
            ...{ pattern: "mesh", agents: ["a"], task: "x" },
            options: { bounds: { turns_per_agent: 2 } },
          },
        },
      ],
    },
    { turns: { a: turns } },
  );
  expect(dataIn(run)["meet"]).toMatchObject({ outcome: "completed", metadata: { ended: "done" } });
});
