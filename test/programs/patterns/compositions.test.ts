import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { defineTestWorkflow, type TestAgent } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { promptCount, runTalkCase } from "./talk-runs.ts";

type Options = { readonly [key: string]: Json };
const turns = { maxAttempts: 1, retryDelayMs: 0 };
const ill = [{ say: "FAILED: ill" }];

interface Held {
  readonly pattern: string;
  readonly options?: Options;
  readonly agents?: readonly TestAgent[];
  readonly task?: string;
}

function held({ pattern, options = {}, agents, task = "ask" }: Held, said: Options) {
  const members = agents ?? Object.keys(said).map((id) => ({ id }));
  return runWorkflowInMemory({ pattern, agents: members, turns, options }, { task, turns: said });
}

function endOf({ events }: FinishedRun) {
  const end = events.findLast((event) => event.type === "run-ended");
  return { outcome: end?.outcome, reason: end?.reason };
}

function movesOf(run: FinishedRun, wanted: string): readonly Json[] {
  return run.all("pattern-advanced").flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
}

async function faultsOf(pattern: string, ids: readonly string[], options: Options = {}) {
  const [loaded] = await loadPatterns([pattern]);
  const definition = defineTestWorkflow({ pattern, agents: ids.map((id) => ({ id })), options });
  return loaded?.check?.(definition).map(({ key, problem }) => [key, problem]);
}

test("a copy of the mapper looks at each item, and what all found is reduced in the order of the items [PAT-more.rest, PAT-more-2.gather]", async () => {
  const agents = [{ id: "reader" }, { id: "editor" }];
  const run = await held(
    { pattern: "map-reduce", agents, options: { items: ["one.md", "two.md"] } },
    {
      reader: [{ say: "DONE: never asked itself" }],
      "reader-1": [{ expect: "one.md", say: "DONE: bread" }],
      "reader-2": [{ expect: "two.md", say: "DONE: salt" }],
      editor: [{ expect: "answer of reader-2 about two.md", say: "DONE: bread and salt" }],
    },
  );
  expect(endOf(run)).toEqual({ outcome: "completed", reason: "editor made one answer of 2" });
  expect(run.result).toMatchObject({
    output: "bread and salt",
    metadata: { items: 2, missing: [] },
  });
  expect(promptCount(run, "reader")).toBe(0);
  const [first] = movesOf(run, "mapped");
  expect(first).toEqual({ item: "one.md", place: 1, of: 2, agent: "reader-1", done: true });
});

test("items are the lines of the task where none are written, and lost ones are told to the reducer [PAT-more.rest]", async () => {
  const agents = [{ id: "m" }, { id: "r" }];
  const run = await runTalkCase(
    { pattern: "map-reduce", agents, goal: "a.md\n\n  b.md\nc.md\n" },
    {
      "m-1": [{ expect: "a.md", say: "DONE: A" }],
      "m-2": [{ hang: true }],
      "m-3": [{ crash: true }],
      r: [{ expect: "m-2, m-3 did not answer", say: "DONE: only A" }],
    },
  );
  expect(run.result).toMatchObject({
    output: "only A",
    metadata: { items: 3, missing: ["b.md", "c.md"] },
  });
});

test("without items, or anybody who looks at one, a map-reduce has failed [PAT-more.rest]", async () => {
  const agents = [{ id: "m" }, { id: "r" }];
  const none = await held({ pattern: "map-reduce", agents, task: " \n " }, {});
  expect(endOf(none)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^there are no items/),
  });
  const lost = await held(
    { pattern: "map-reduce", agents, options: { items: ["x"] } },
    { "m-1": ill, r: [{ say: "DONE: nothing" }] },
  );
  expect(endOf(lost)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^nobody has answered/),
  });
  expect(promptCount(lost, "r")).toBe(0);
});

test("who maps and who reduces fit together [PAT-more.rest]", async () => {
  expect(await faultsOf("map-reduce", ["m", "r"])).toEqual([]);
  expect(await faultsOf("map-reduce", ["m"])).toEqual([[undefined, "map-reduce needs two agents"]]);
  expect(await faultsOf("map-reduce", ["m", "r"], { map: "r", reduce: "r" })).toEqual([
    ["reduce", "r would reduce its own results"],
  ]);
  expect(await faultsOf("map-reduce", ["m", "m-1", "r"], { map: "m", reduce: "r" })).toEqual([
    [undefined, "copies of m have such ids as m-1"],
  ]);
  expect(await faultsOf("map-reduce", ["m", "r"], { map: "x" })).toEqual([
    ["map", 'map names "x", who is no agent'],
  ]);
});

test("a supervisor's workers start when it gives them work, and its DONE ends it all [PAT-more.rest, PAT-more-2.supervisor]", async () => {
  const agents = [{ id: "boss", role: "lead" } as const, { id: "a" }, { id: "b" }];
  const run = await held(
    { pattern: "supervisor", agents },
    {
      boss: [
        { say: "@a look at the server" },
        { expect: "3 errors", say: "DONE: the server has 3 errors" },
      ],
      a: [{ expect: "look at the server", say: "DONE: 3 errors" }],
      b: [{ say: "DONE: nobody asked me" }],
    },
  );
  expect(run.result).toMatchObject({
    output: "the server has 3 errors",
    metadata: { supervisor: "boss" },
  });
  expect([promptCount(run, "a"), promptCount(run, "b")]).toEqual([1, 0]);
});

test("a supervisor hears of a worker that has failed; when it fails itself, its fallback takes over [PAT-more.rest, PAT-more-2.supervisor]", async () => {
  const boss = { id: "boss", role: "lead" } as const;
  const run = await held(
    { pattern: "supervisor", agents: [boss, { id: "a" }] },
    { boss: [{ say: "@a go" }, { expect: "FAILED: ill", say: "DONE: without a" }], a: ill },
  );
  expect(run.result).toMatchObject({
    output: "without a",
    metadata: { workers: [{ agent: "a", status: "failed" }] },
  });
  const replaced = await held(
    {
      pattern: "supervisor",
      agents: [boss, { id: "deputy" }, { id: "a" }],
      options: { fallback: "deputy" },
    },
    { boss: ill, deputy: [{ say: "DONE: I did it" }], a: [{ say: "DONE: x" }] },
  );
  expect(replaced.result).toMatchObject({
    output: "I did it",
    metadata: { supervisor: "deputy", replaced: "boss" },
  });
  expect(await faultsOf("supervisor", ["a", "b"])).toEqual([
    [undefined, "supervisor needs a hub, and no agent is one"],
  ]);
});

const inPlace = { worktrees: false };

test("a judge chooses among what candidates did, is shown all of it, and names the winner [PAT-more.rest, PAT-more-2.competitive]", async () => {
  const run = await held(
    { pattern: "competitive", options: { ...inPlace, judge: "j" } },
    {
      a: [{ say: "DONE: short" }],
      b: [{ say: "DONE: tested" }],
      c: [{ crash: true }, { crash: true }, { crash: true }, { crash: true }],
      j: [{ expect: "work of b", say: "VERDICT: `b` it is tested" }],
    },
  );
  expect(endOf(run)).toEqual({ outcome: "completed", reason: "j has chosen b" });
  expect(run.result).toMatchObject({
    output: "tested",
    metadata: {
      winner: "b",
      judge: "j",
      candidates: [
        { agent: "a", passed: true },
        { agent: "b", passed: true },
        { agent: "c", done: false, passed: false },
      ],
    },
  });
  expect(movesOf(run, "verdict")).toMatchObject([{ winner: "b", losers: ["a", "c"] }]);
});

test("a judge that names nobody is asked once more; then, or when it fails, nobody has won [PAT-more.rest]", async () => {
  const work = { a: [{ say: "DONE: 1" }], b: [{ say: "DONE: 2" }] };
  const options = { ...inPlace, judge: "j" };
  const again = await held(
    { pattern: "competitive", options },
    {
      ...work,
      j: [{ say: "VERDICT: both" }, { expect: "named none of them", say: "VERDICT: a, shorter" }],
    },
  );
  expect(again.result).toMatchObject({ output: "1", metadata: { winner: "a" } });
  const never = await held(
    { pattern: "competitive", options },
    { ...work, j: [{ say: "VERDICT: both" }, { say: "VERDICT: x" }, { say: "VERDICT: a" }] },
  );
  expect(endOf(never)).toEqual({ outcome: "failed", reason: "j has chosen none of a, b" });
  const lost = await held({ pattern: "competitive", options }, { ...work, j: ill });
  expect(endOf(lost)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^j gave no verdict: /),
  });
  expect(lost.result?.metadata).toMatchObject({ winner: null });
});

test("only one candidate that is left needs no judge; when none is, nobody has won [PAT-more.rest]", async () => {
  const options = { ...inPlace, judge: "j" };
  const j = [{ say: "VERDICT: a" }];
  const one = await held(
    { pattern: "competitive", options },
    { a: [{ say: "DONE: 1" }], b: ill, j },
  );
  expect(endOf(one)).toEqual({ outcome: "completed", reason: "a wins: nobody else is left" });
  expect(promptCount(one, "j")).toBe(0);
  const none = await held({ pattern: "competitive", options }, { a: ill, b: ill, j });
  expect(endOf(none)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^none of 2 candidates can win/),
  });
});

test("who competes, who judges and what is checked fit together [PAT-more.rest, PAT-more-2.competitive]", async () => {
  expect(await faultsOf("competitive", ["a", "b"], { verify: "npm test" })).toEqual([]);
  expect(await faultsOf("competitive", ["a", "b"])).toEqual([[undefined, "nothing says who wins"]]);
  expect(await faultsOf("competitive", ["a", "j"], { judge: "j", candidates: ["j"] })).toEqual([
    ["judge", "j would judge itself"],
  ]);
  expect(await faultsOf("competitive", ["j"], { judge: "j" })).toEqual([
    [undefined, "nobody competes"],
  ]);
});

test("experts are shown the board, and only what is written on it keeps the rounds going [PAT-more.rest, PAT-more-2.blackboard]", async () => {
  const run = await held(
    { pattern: "blackboard" },
    {
      a: [
        { do: [{ document: { append: "it is the disk\n" } }], say: "look" },
        { say: "still thinking" },
        { say: "I talk and talk" },
        { say: "DONE: the disk" },
      ],
      b: [
        { say: "hm" },
        { expect: "it is the disk", say: "yes" },
        { say: "chatting on" },
        { say: "no" },
      ],
    },
  );
  expect(endOf(run)).toEqual({
    outcome: "limit-reached",
    reason: "1 of 2 peers done when two rounds had brought nothing new",
  });
  expect(movesOf(run, "round")).toMatchObject([{ news: 1 }, { news: 0 }, { news: 0 }]);
});

test("a board is done when all experts are, and goes on without one that has failed [PAT-more.rest, PAT-more-2.blackboard]", async () => {
  const run = await held(
    { pattern: "blackboard" },
    {
      a: [{ do: [{ document: { append: "1" } }], say: "x" }, { say: "DONE: first" }],
      b: [
        { do: [{ document: { append: "2" } }], say: "y" },
        { expect: "12", say: "DONE: second" },
      ],
      c: ill,
    },
  );
  expect(endOf(run)).toEqual({ outcome: "completed", reason: "2 of 2 peers done" });
  const alone = await held({ pattern: "blackboard" }, { a: ill });
  expect(endOf(alone)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^no peer is left/),
  });
});
