import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { poolPattern } from "../../../src/programs/patterns/pool.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
  startInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

type Options = { readonly [key: string]: Json };
const turns = { maxAttempts: 1, retryDelayMs: 0 };

function held(options: Options, said: Options, judge?: string) {
  const agents = [{ id: "dev" }, ...(judge === undefined ? [] : [{ id: judge }])];
  const workflow = { pattern: "pool", agents, turns, options };
  return runWorkflowInMemory(workflow, { task: "sort a list", turns: said });
}

function endOf({ events }: FinishedRun) {
  const end = events.findLast((event) => event.type === "run-ended");
  return { outcome: end?.outcome, reason: end?.reason };
}

const rated = (fitness: number, answer = "mine") => ({ say: `${answer}\nFITNESS: ${fitness}` });
const spawned = ({ events }: FinishedRun) =>
  events.flatMap((event) => (event.type === "agent-spawned" ? [event.agent] : []));

test("members answer on their own, the fit live on, and children are told the answer of their parent [PRM-pool.pattern, PRM-files-2.pool, PRM-files-2.fitness]", async () => {
  const run = await held(
    { populationSize: 2, maxGenerations: 2 },
    {
      "dev-g0-0": [{ expect: "sort a list", ...rated(1, "bubble") }],
      "dev-g0-1": [rated(5, "merge")],
      "dev-g1-0": [{ expect: "merge", ...rated(7, "quick") }],
    },
  );
  expect(endOf(run)).toEqual({
    outcome: "completed",
    reason: "the answer of dev-g1-0 is the best (fitness 7)",
  });
  expect(run.result).toMatchObject({
    output: "quick",
    metadata: {
      bestAgent: "dev-g1-0",
      bestFitness: 7,
      generations: 2,
      population: [
        { name: "dev-g0-1", fitness: 5, generation: 0 },
        { name: "dev-g1-0", fitness: 7, generation: 1 },
      ],
    },
  });
});

test("a fitness that is good enough ends it, one that is never reached is a bound [PRM-pool.pattern, PAT-ends.limit, PRM-files-2.pool]", async () => {
  const said = { "dev-g0-0": [rated(0.9, "good")], "dev-g0-1": [rated(0.2)] };
  const enough = await held({ populationSize: 2, targetFitness: 0.8 }, said);
  expect(endOf(enough).outcome).toBe("completed");
  expect(spawned(enough)).toEqual(["dev", "dev-g0-0", "dev-g0-1"]);
  const more = { ...said, "dev-g1-0": [rated(0.5)] };
  const never = await held({ populationSize: 2, targetFitness: 1, maxGenerations: 2 }, more);
  expect(endOf(never)).toEqual({
    outcome: "limit-reached",
    reason:
      "no fitness of 1 after all generations; the answer of dev-g0-0 is the best (fitness 0.9)",
  });
  expect(never.result?.output).toBe("good");
});

test("a judge says how good each answer is, and sees one at a time [PRM-pool.pattern, PRM-files-2.fitness]", async () => {
  const run = await held(
    { populationSize: 2, maxGenerations: 1, judge: "j" },
    {
      "dev-g0-0": [{ say: "DONE: bubble\nFITNESS: 9" }],
      "dev-g0-1": [{ say: "DONE: merge" }],
      j: [
        { expect: "bubble", say: "FITNESS: 2 slow" },
        { expect: "merge", say: "FITNESS: 8 fast" },
      ],
    },
    "j",
  );
  expect(run.result).toMatchObject({ output: "merge", metadata: { bestFitness: 8 } });
});

test("without a judge nobody can be compared: the run has failed [PRM-pool.pattern]", async () => {
  const run = await held(
    { populationSize: 2, maxGenerations: 3, judge: "j" },
    {
      "dev-g0-0": [{ say: "DONE: bubble" }],
      "dev-g0-1": [{ say: "DONE: merge" }],
      j: [{ say: "FITNESS: 2" }, { say: "FAILED: no idea" }],
    },
    "j",
  );
  expect(endOf(run)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^j judges no more/),
  });
});

test("an answer without a number counts 0, whoever fails leaves its place to a child, and without anybody the run has failed [PRM-pool.pattern, PRM-files-2.fitness]", async () => {
  const run = await held(
    { populationSize: 2, maxGenerations: 2 },
    {
      "dev-g0-0": [{ say: "no number" }],
      "dev-g0-1": [{ say: "FAILED: ill" }],
      "dev-g1-0": [{ expect: "no number", ...rated(-1) }],
    },
  );
  expect(run.result?.metadata).toMatchObject({ bestAgent: "dev-g0-0", bestFitness: 0 });
  const none = await held(
    { populationSize: 1, maxGenerations: 1 },
    { "dev-g0-0": [{ say: "FAILED: ill" }] },
  );
  expect(endOf(none)).toMatchObject({ outcome: "failed" });
});

test("mutate makes the task of a child of that of its parent, and crossover tells it two answers [PRM-pool.pattern, PRM-files-2.pool]", async () => {
  const run = await held(
    {
      populationSize: 3,
      cullRate: 0.34,
      maxGenerations: 3,
      mutate: "{{parent}}, shorter than in {{ generation }}",
      crossover: true,
    },
    {
      "dev-g0-0": [rated(3, "one")],
      "dev-g0-1": [rated(2, "two")],
      "dev-g0-2": [rated(1, "three")],
      "dev-g1-0": [{ expect: "sort a list, shorter than in 1", ...rated(9, "four") }],
      "dev-g2-0": [{ expect: "Two answers that were among the best", ...rated(8, "five") }],
    },
  );
  const noted = run.events.flatMap((event) =>
    event.type === "pattern-advanced" && event.kind === "fitness" ? [event.data] : [],
  );
  expect(noted).toContainEqual({
    generation: 1,
    agent: "dev-g1-0",
    fitness: 9,
    parents: expect.toSatisfy(
      (parents: string[]) => parents.toSorted().join() === "dev-g0-0,dev-g0-1",
    ),
  });
  expect(run.result?.metadata).toMatchObject({ bestAgent: "dev-g1-0", generations: 3 });
});

test("a pool has 8 members, of which half goes, for 5 generations, unless its block says otherwise [PRM-files-2.pool]", () => {
  const turnsOf = (options: Options) =>
    poolPattern.turns?.(defineTestWorkflow({ pattern: "pool", agents: [{ id: "dev" }], options }));
  expect(turnsOf({})).toMatchObject({ least: 8, most: 8 + 4 * 4 });
  const other = { populationSize: 4, cullRate: 0.25, maxGenerations: 3 };
  expect(turnsOf(other)).toMatchObject({ least: 4, most: 4 + 2 });
});

test("who takes part and what the block says fit together [PRM-pool.pattern]", () => {
  const faultsOf = (options: Options, ids = ["dev"]) =>
    poolPattern
      .check?.(defineTestWorkflow({ pattern: "pool", agents: ids.map((id) => ({ id })), options }))
      .map(({ problem }) => problem);
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf({}, ["dev", "ops"])).toEqual(["a pool is made of one agent, and there are 2"]);
  expect(faultsOf({ judge: "dev", agent: "dev" })).toEqual(["dev would judge itself"]);
  expect(faultsOf({ populationSize: 1 })).toEqual([
    "a cullRate of 0.5 lets nobody go of 1 member, so all generations are the same",
  ]);
  expect(faultsOf({ mutate: "{{parent}} {{task}}" })).toEqual(["mutate uses {{task}}"]);
  expect(faultsOf({ mutate: "{{parent}} {{parent}}" })).toEqual([
    "mutate has {{parent}} more than once",
  ]);
  expect(faultsOf({ agent: "dev" }, ["dev", "dev-g0-1"])).toEqual([
    "members of the pool have such ids as dev-g0-1",
  ]);
  expect(faultsOf({ agent: "dve" })).toContain('agent names "dve", who is no agent');
});

test("whom people take in is there wherever the run was killed since, and is told its own task alone [PRM-pool.control]", async () => {
  const store = createCuttableStore();
  const workflow = {
    ...{ pattern: "pool", agents: [{ id: "dev" }], turns },
    options: { populationSize: 2, maxGenerations: 2 },
  };
  const said = {
    "dev-g0-0": [rated(1)],
    "dev-g0-1": [rated(2)],
    "dev-g1-0": [{ expect: "begin at the end", ...rated(9, "from behind") }],
  };
  const started = await startInMemory(workflow, { store, task: "sort", turns: said });
  await started.run.send("INJECT: begin at the end");
  const { events, result, state } = await started.over();
  expect(result).toMatchObject({ output: "from behind", metadata: { bestAgent: "dev-g1-0" } });
  const { id } = state.run;
  const sent = events.find(({ type }) => type === "message-posted")?.seq ?? 0;
  const cuts = store
    .commits(id)
    .slice(0, -1)
    .filter((seq) => seq >= sent);
  expect(cuts.length).toBeGreaterThan(3);
  for (const seq of cuts) {
    const resumed = await resumeInMemory(id, { store: await store.cutAfter(id, seq) });
    expect({ seq, result: (await resumed.over()).result?.metadata }).toEqual({
      seq,
      result: result?.metadata,
    });
  }
});
