import { expect, test } from "vitest";
import { debatePattern } from "../../../src/programs/patterns/debate.ts";
import { hierarchicalPattern } from "../../../src/programs/patterns/hierarchical.ts";
import { hubSpokeKind } from "../../../src/programs/patterns/hub-spoke.ts";
import { toHubPattern } from "../../../src/programs/talk/hub-pattern.ts";
import {
  defineTestWorkflow,
  type TestAgent,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { runWoken } from "./woken-run.ts";

const broken = { fail: { code: "X", message: "no disk", retryable: false } };

const wheel: TestWorkflow = {
  pattern: "hub-spoke",
  agents: [
    { id: "lead", role: "lead" },
    { id: "deputy" },
    { id: "db", task: "models" },
    { id: "api", task: "routes" },
  ],
  options: { fallback: "deputy" },
};

test("a hub that fails is replaced by its fallback, which is told how far the others are and ends it all [PAT-fail.essential]", async () => {
  const run = await runWoken(wheel, {
    task: "a blog",
    turns: {
      lead: [{ say: "go" }, broken],
      deputy: [
        { expect: "You take the place of lead, which takes part no more: no disk.", say: "I see" },
        { expect: "DONE: 4 routes", say: "DONE: a blog all the same" },
      ],
      db: [{ say: "DONE: 2 tables" }],
      api: [{ after: "5s", say: "DONE: 4 routes" }],
    },
  });
  expect(run).toMatchObject({ outcome: "completed", reason: "deputy is done" });
  expect(run.result).toMatchObject({
    output: "a blog all the same",
    metadata: {
      hub: "deputy",
      replaced: "lead",
      workers: [
        { agent: "db", status: "done", summary: "2 tables" },
        { agent: "api", status: "done", summary: "4 routes" },
      ],
      unfinished: [],
    },
  });
  // Its turn had begun when there was a lead to write to.
  expect(run.said).toContain("system > deputy: api to lead: DONE: 4 routes");
  expect(run.said.some((line) => line.endsWith("deputy takes the place of lead"))).toBe(true);
  const moves = run.all("pattern-advanced").filter(({ kind }) => kind === "takeover");
  expect(moves.map(({ data }) => data)).toEqual([
    { from: "lead", to: "deputy", reason: "no disk" },
  ]);
  const given = run.all("operation-scheduled").filter(({ kind }) => kind === "turn");
  expect(JSON.stringify(given)).toContain("db, done");
});

test("a fallback takes no turn while the hub does its part [PAT-fail.essential]", async () => {
  const run = await runWoken(wheel, {
    task: "a blog",
    turns: {
      lead: [{ say: "go" }, { say: "DONE: a blog" }],
      db: [{ say: "DONE: a" }],
      api: [{ say: "DONE: b" }],
    },
  });
  expect(run).toMatchObject({ outcome: "completed", turns: { lead: 2, db: 1, api: 1 } });
  expect(run.result?.metadata).not.toHaveProperty("replaced");
});

test("a hub that never begins is replaced before its workers start; a fallback that fails too fails the run [PAT-fail.essential]", async () => {
  const turns = { lead: [broken], db: [{ say: "DONE: a" }], api: [{ say: "DONE: b" }] };
  const deputy = [{ say: "go" }, { say: "DONE: c" }];
  const run = await runWoken(wheel, { task: "x", turns: { ...turns, deputy } });
  expect(run).toMatchObject({ outcome: "completed", reason: "deputy is done" });
  const dead = await runWoken(wheel, { task: "x", turns: { ...turns, deputy: [broken] } });
  expect(dead).toMatchObject({ outcome: "failed", reason: "no disk" });
});

test("workers that start when they are written to do so for the fallback [PAT-fail.essential]", async () => {
  const options = { fallback: "deputy", assign: true };
  const run = await runWoken(
    { ...wheel, options },
    {
      task: "x",
      turns: {
        lead: [broken],
        deputy: [{ say: "@db begin" }, { say: "DONE: a table" }],
        db: [{ say: "DONE: 1 table" }],
      },
    },
  );
  expect(run.reason).toBe("deputy is done");
  expect(run.turns).toEqual({ deputy: 2, lead: 1, db: 1 });
});

test("a lead that fails is replaced by its fallback, to which its teams report [PAT-fail.essential]", async () => {
  const run = await runWoken(
    {
      pattern: "hierarchical",
      agents: [
        { id: "l", role: "lead" },
        { id: "deputy" },
        { id: "fe", role: "coordinator", reportsTo: "l" },
        { id: "react", role: "worker", reportsTo: "fe" },
      ],
      options: { fallback: "deputy" },
    },
    {
      task: "an app",
      turns: {
        l: [{ say: "FAILED: I cannot" }],
        deputy: [{ expect: "You take the place of l", say: "go on" }, { say: "DONE: an app" }],
        fe: [{ say: "ACK: fe" }, { say: "TEAM_DONE: a front end" }],
        react: [{ say: "DONE: 3 components" }],
      },
    },
  );
  expect(run).toMatchObject({ outcome: "completed", reason: "deputy is done" });
  expect(run.said).toContain("fe > deputy: TEAM_DONE: a front end");
  expect(run.result?.metadata).toMatchObject({
    tree: [
      { agent: "l", role: "lead", status: "failed" },
      { agent: "deputy", role: "lead", reportsTo: null, status: "done" },
      { agent: "fe", role: "coordinator", reportsTo: "deputy", status: "done" },
      { agent: "react", role: "worker", reportsTo: "fe", status: "done" },
    ],
    unfinished: [],
  });
});

const debate = {
  pattern: "debate",
  agents: [{ id: "mono" }, { id: "poly" }, { id: "judge", role: "judge" }, { id: "second" }],
  turns: { maxAttempts: 1, retryDelayMs: 0 },
  options: { positions: { mono: "one", poly: "many" }, maxRounds: 1, fallback: "second" },
} as const;

test("a judge that fails is replaced by its fallback, which has the whole transcript [PAT-fail.essential]", async () => {
  const turns = { mono: [{ say: "ARGUMENT: simple" }], poly: [{ say: "ARGUMENT: small" }] };
  const run = await runWorkflowInMemory(debate, {
    task: "x",
    turns: {
      ...turns,
      judge: [broken],
      second: [{ expect: "You take the place of judge", say: "VERDICT: one\nDONE: simple wins" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result?.metadata).toMatchObject({ winner: "one", judgeReasoning: "simple wins" });
  const judged = run.all("operation-scheduled").filter(({ kind }) => kind === "turn");
  expect(JSON.stringify(judged.at(-1))).toContain("argument of poly");
  const dead = await runWorkflowInMemory(debate, {
    task: "x",
    turns: { ...turns, judge: [broken], second: [broken] },
  });
  expect(dead.outcome).toBe("failed");
});

test.each([
  ["nobody", [], 'fallback names "nobody", who is no agent'],
  ["lead", [], "lead would take its own place"],
  ["db", [{ id: "x", reportsTo: "db" }], "x would report to db, which has no part before"],
  ["x", [{ id: "x", reportsTo: "lead" }], "x reports to lead, but has no part before"],
] as const)("a fallback %s with %o is refused [PAT-fail.essential]", (fallback, more, problem) => {
  const agents: readonly TestAgent[] = [{ id: "lead", role: "lead" }, { id: "db" }, ...more];
  const workflow = { agents, options: { fallback } };
  const hub = defineTestWorkflow({ pattern: "hub-spoke", ...workflow });
  expect(toHubPattern(hubSpokeKind).check?.(hub)).toContainEqual(
    expect.objectContaining({ key: "fallback", problem }),
  );
});

test("a fallback of nobody, beside steps or among those that debate is refused [PAT-fail.essential]", () => {
  const { agents, options } = debate;
  const faultsOf = (changes: object) =>
    debatePattern
      .check?.(defineTestWorkflow({ pattern: "debate", agents, options, ...changes }))
      .map(({ problem }) => problem);
  expect(faultsOf({ agents: [{ id: "mono" }, { id: "poly" }, { id: "second" }] })).toEqual([
    "second would take the place of nobody",
  ]);
  expect(faultsOf({ options: { ...options, fallback: "mono" } })).toEqual([
    "mono would debate and judge",
  ]);
  const steps = [{ id: "s", agent: "db", prompt: "go" }];
  const tree = { agents: [{ id: "l" }, { id: "deputy" }, { id: "db", reportsTo: "l" }] };
  const driven = defineTestWorkflow({ ...tree, options: { fallback: "deputy" }, steps });
  expect(hierarchicalPattern.check?.(driven).map(({ problem }) => problem)).toEqual([
    "fallback changes nothing beside steps",
  ]);
});
