import { expect, test } from "vitest";
import { cascadePattern } from "../../../src/programs/patterns/cascade.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { playedBackend, runAgents, said } from "../../agents/agents-run.ts";
import { runTalkCase } from "./talk-runs.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };
const tiers = (...ids: readonly string[]) => ids.map((id) => ({ id }));

test("an unsure answer is asked again of the next tier, which is told of it; the sure one stands [PAT-cascade, PAT-speak.channel, PAT-output.answer, PAT-cascade-2.told, PAT-cascade-2.report]", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "cascade",
      agents: tiers("fast", "strong", "best"),
      turns,
      options: {
        tiers: [
          { agent: "fast" },
          { agent: "strong", confidenceThreshold: 0.9, costWeight: 5 },
          { agent: "best", costWeight: 20 },
        ],
      },
    },
    {
      task: "what is it",
      turns: {
        fast: [{ do: [{ usage: { costUsd: 0.25 } }], say: "DONE [confidence=0.4]: perhaps" }],
        strong: [
          {
            expect: "answer of fast, confidence 0.4\nperhaps",
            do: [{ usage: { costUsd: 0.5 } }],
            say: "DONE [confidence=0.9]: surely",
          },
        ],
        best: [{ fail: { code: "TEST_ASKED" } }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output: "surely",
    metadata: {
      tiers: [
        { agent: "fast", confidence: 0.4, accepted: false, costWeight: 1, costUsd: 0.25 },
        { agent: "strong", confidence: 0.9, accepted: true, costWeight: 5, costUsd: 0.5 },
      ],
      tiersUsed: 2,
      totalCostWeight: 6,
      finalConfidence: 0.9,
      accepted: true,
    },
  });
  expect(run.all("message-posted")).toEqual([]);
});

test("an answer without a confidence counts as 0, and after the last escalation the last answer stands [PAT-cascade, PAT-votes, PAT-cascade-2.report]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "cascade", agents: tiers("a", "b", "c"), turns, options: { maxEscalations: 1 } },
    {
      task: "x",
      turns: {
        a: [{ say: "DONE [confidence=0.6]: first" }],
        b: [{ say: "DONE: second" }],
        c: [{ say: "DONE [confidence=1]: third" }],
      },
    },
  );
  expect(run.result?.output).toBe("second");
  expect(run.result?.metadata).toMatchObject({
    tiersUsed: 2,
    finalConfidence: 0,
    accepted: false,
    tiers: [{ costUsd: null }, { costUsd: null }],
  });
});

test("when the last tier fails, the surest answer before it stands; when all fail, so does the run [PAT-fail.last, PAT-cascade-2.failed, PAT-cascade-2.report]", async () => {
  const definition = { pattern: "cascade", agents: tiers("a", "b", "c"), turns };
  const saved = await runWorkflowInMemory(definition, {
    task: "x",
    turns: {
      a: [{ say: "DONE [confidence=0.6]: first" }],
      b: [{ say: "DONE [confidence=0.2]: second" }],
      c: [{ say: "FAILED: no idea" }],
    },
  });
  expect(saved.result?.output).toBe("first");
  expect(saved.result?.metadata).toMatchObject({
    ...{ tiersUsed: 3, finalConfidence: 0.6, accepted: false },
    tiers: [{ confidence: 0.6 }, { confidence: 0.2 }, { agent: "c", confidence: 0 }],
  });
  const lost = await runWorkflowInMemory(definition, {
    task: "x",
    turns: { "*": [{ say: "FAILED: no idea" }] },
  });
  expect(lost.outcome).toBe("failed");
  expect(lost.result?.metadata).toMatchObject({
    tiersUsed: 3,
    finalConfidence: null,
    accepted: false,
  });
});

test("a tier that takes too long counts as 0, and the next one is asked [PAT-cascade-2.failed]", async () => {
  const run = await runTalkCase(
    {
      pattern: "cascade",
      agents: tiers("a", "b"),
      turns: { ...turns, timeoutMs: 60_000 },
      options: { tiers: [{ agent: "a", confidenceThreshold: 0 }, { agent: "b" }] },
    },
    { a: [{ hang: true }], b: [{ say: "DONE [confidence=0.8]: right" }] },
  );
  expect(run.result).toMatchObject({
    output: "right",
    metadata: { tiers: [{ agent: "a", confidence: 0, accepted: false }, { agent: "b" }] },
  });
});

test("a run that is cut short counts the tier that was asked last [PAT-cascade-2.report]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "cascade", agents: tiers("a", "b"), turns },
    { task: "x", budget: { turns: 1 }, turns: { a: [{ say: "DONE [confidence=0.1]: perhaps" }] } },
  );
  expect(run.outcome).toBe("limit-reached");
  expect(run.result?.metadata).toMatchObject({ tiersUsed: 2, tiers: [{ agent: "a" }] });
});

test("each tier has a session without memory, also when one is lost in its turn [PAT-cascade-2.fresh]", async () => {
  const definition = defineTestWorkflow({
    ...{ pattern: "cascade", turns, goal: "what is it" },
    agents: tiers("a", "b").map((tier) => ({ ...tier, backend: "played" })),
  });
  const backend = playedBackend(async function* ({ agent, turn }) {
    if (agent === "a") yield said("DONE [confidence=0.1]: perhaps");
    else if (turn > 1) yield said("DONE [confidence=1]: surely");
    else yield { type: "error", error: { code: "DIED", message: "gone" }, sessionLost: true };
  });
  const run = runAgents(
    async (context) => (await cascadePattern.run(context, definition)).output ?? null,
    { backend },
  );
  expect(await run.over()).toBe("surely");
  expect(backend.opened.map(({ spec, resume }) => [spec.id, resume])).toEqual([
    ["a", undefined],
    ["b", undefined],
    ["b", undefined],
  ]);
  expect(backend.prompts.at(-1)?.prompt).toContain("what is it");
});

test("an invalid confidence is asked for once more, and a tier that insists on it is passed over [PAT-cascade]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "cascade", agents: tiers("a", "b"), turns },
    {
      task: "x",
      turns: {
        a: [{ say: "DONE [confidence=7]: mine" }, { say: "DONE [confidence=high]: mine" }],
        b: [{ say: "DONE [confidence=0.8]: right" }],
      },
    },
  );
  expect(run.result).toMatchObject({
    output: "right",
    metadata: {
      tiers: [
        { agent: "a", confidence: 0 },
        { agent: "b", confidence: 0.8 },
      ],
    },
  });
});

test("functions answer by their text, with a confidence by its tag alone [PAT-plain.answers]", async () => {
  const told: string[] = [];
  const run = await runWorkflowInMemory(
    {
      pattern: "cascade",
      agents: [
        { id: "a", backend: "function" },
        { id: "b", backend: "function" },
      ],
      turns,
    },
    {
      task: "add",
      functions: {
        a: () => "four, confidence 0.99",
        b: ({ task }) => {
          told.push(task);
          return "DONE [confidence=0.75]: 4";
        },
      },
    },
  );
  expect(run.result).toMatchObject({ output: "4", metadata: { finalConfidence: 0.75 } });
  expect(told[0]).toMatch(/^add\n\n[\s\S]*four, confidence 0\.99/);
});

test("no tier may write to anybody [PAT-edges.apart]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "cascade", agents: tiers("a", "b"), turns },
    {
      task: "x",
      turns: { a: [{ do: [{ send: { to: "b", text: "psst" } }], say: "DONE [confidence=1]: y" }] },
    },
  );
  expect(run.all("message-posted").filter(({ from }) => from === "a")).toEqual([]);
});
