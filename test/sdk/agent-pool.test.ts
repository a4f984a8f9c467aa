import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentPool, type PatternFunctions, pool, resumeRun } from "../../src/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-agent-pool-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const memory = { store: "memory" } as const;

/** What a member is told and asked. */
interface Asked {
  readonly agent: string;
  readonly prompt: string;
}

/** An agent whose copies answer as this function does, and all that they were told. */
const member = (answer: (asked: Asked) => string | Promise<string>) => {
  const told: Asked[] = [];
  const run = ({ agent, prompt }: Asked) => {
    told.push({ agent, prompt });
    return answer({ agent, prompt });
  };
  return { agent: { name: "dev", task: "count {{up}}", run }, told };
};

/** A turn that ends when it is cut off. */
const never = () => new Promise<string>(() => {});

/** Resolves once a generation is over. */
async function generationOver(run: AgentPool, generation: number): Promise<void> {
  for await (const event of run.events)
    if (event.type === "pattern-advanced" && event.kind === "generation")
      if (JSON.stringify(event.data).includes(`"generation":${generation},`)) return;
}

test("functions say how good answers are and make the tasks of children [PRM-pool.control]", async () => {
  const mutations: unknown[] = [];
  const dev = member(({ prompt }) => `DONE: ${"x".repeat(/task [1-9]/.exec(prompt) ? 5 : 2)}`);
  const run = pool({
    ...memory,
    goal: "go",
    agent: dev.agent,
    ...{ populationSize: 2, cullRate: 0.5, maxGenerations: 3 },
    fitnessExtractor: async (output) => output.length,
    mutateTask: async (parentTask, generation) => {
      mutations.push([parentTask, generation]);
      return `task ${generation} {{task}}`;
    },
  });
  expect(await run.evolve()).toEqual({ bestAgent: "dev-g1-0", bestFitness: 5, generations: 3 });
  expect(await run.result).toMatchObject({ output: "xxxxx" });
  // The best of the second generation has the task that a function has made.
  expect(mutations).toEqual([
    ["count {{up}}", 1],
    ["task 1 {{task}}", 2],
  ]);
  expect(dev.told.map(({ prompt }) => /task \d .*|count .*/.exec(prompt)?.[0])).toEqual([
    "count {{up}}",
    "count {{up}}",
    "task 1 {{task}}",
    "task 2 {{task}}",
  ]);
});

const WRONG: readonly (readonly [string, PatternFunctions, string])[] = [
  ["fitnessExtractor", { fitnessExtractor: () => Number.NaN }, "is not a number"],
  ["mutateTask", { mutateTask: () => " " }, "is not a text"],
];

test.each(WRONG)(
  "a %s that returns no answer ends the run by name",
  async (name, functions, problem) => {
    const { agent } = member(() => "FITNESS: 1");
    const run = pool({ ...memory, goal: "go", agent, populationSize: 2, ...functions });
    const message = expect.stringMatching(`${name} .*${problem}`);
    expect(await run.parted).toMatchObject({
      event: { outcome: "failed", error: { code: "PATTERN_FUNCTION_BROKEN", message } },
    });
  },
);

test("a function and the key of the block that does the same are refused together", async () => {
  const { agent } = member(() => "FITNESS: 1");
  const judge = { name: "judge", task: "be fair", run: () => "FITNESS: 1" };
  const judged = pool({ ...memory, goal: "go", agent, judge, fitnessExtractor: () => 1 });
  await expect(judged.result).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    message: expect.stringContaining("judge and fitnessExtractor do the same"),
  });
  const mutated = pool({
    ...memory,
    goal: "go",
    agent,
    mutate: "{{parent}}",
    mutateTask: () => "x",
  });
  await expect(mutated.result).rejects.toMatchObject({
    message: expect.stringContaining("mutate and mutateTask do the same"),
  });
});

test("a member that is taken in has a task of its own, lives in the next generation, and none hears of the order [PRM-pool.control]", async () => {
  let isTakenIn: () => void = () => {};
  const taken = new Promise<void>((resolve) => {
    isTakenIn = resolve;
  });
  const dev = member(async ({ prompt, agent }) => {
    if (agent === "dev-g0-0") await taken;
    return `mine\nFITNESS: ${prompt.includes("start at ten {{up}}") ? 10 : 1}`;
  });
  const run = pool({
    ...memory,
    goal: "go",
    agent: dev.agent,
    ...{ populationSize: 2, cullRate: 0.5, maxGenerations: 2 },
  });
  await run.inject("start at ten {{up}}");
  isTakenIn();
  expect(await run.evolve()).toEqual({ bestAgent: "dev-g1-0", bestFitness: 10, generations: 2 });
  // It takes the place of a child.
  expect(dev.told.map(({ agent }) => agent)).toEqual(["dev-g0-0", "dev-g0-1", "dev-g1-0"]);
  expect(dev.told.map(({ prompt }) => prompt).join()).not.toContain("INJECT");
  expect(run.getPopulation()).toEqual([
    { name: "dev-g0-0", fitness: 1, generation: 0 },
    { name: "dev-g1-0", fitness: 10, generation: 1 },
  ]);
});

test("whoever is taken in while the last generation answers is still heard, alone [PRM-pool.control]", async () => {
  let isTakenIn: () => void = () => {};
  const taken = new Promise<void>((resolve) => {
    isTakenIn = resolve;
  });
  const dev = member(async ({ prompt, agent }) => {
    if (agent === "dev-g0-0") await taken;
    return `mine\nFITNESS: ${prompt.includes("late") ? 10 : 1}`;
  });
  const run = pool({
    ...memory,
    goal: "go",
    agent: dev.agent,
    populationSize: 2,
    maxGenerations: 1,
  });
  await run.inject("late");
  isTakenIn();
  expect(await run.evolve()).toEqual({ bestAgent: "dev-g1-0", bestFitness: 10, generations: 2 });
  expect(dev.told).toHaveLength(3);
});

test("a pool that is halted cuts off who is at work, and its best answer so far stands [PRM-pool.control]", async () => {
  const { agent } = member(({ agent: id }) =>
    id.startsWith("dev-g0") ? `first of ${id}\nFITNESS: ${id === "dev-g0-1" ? 3 : 2}` : never(),
  );
  const run = pool({ ...memory, goal: "go", agent, populationSize: 2, targetFitness: 100 });
  await generationOver(run, 0);
  expect(run.getPopulation()).toEqual([
    { name: "dev-g0-0", fitness: 2, generation: 0 },
    { name: "dev-g0-1", fitness: 3, generation: 0 },
  ]);
  await run.halt("it is late");
  expect(await run.parted).toMatchObject({
    event: {
      outcome: "completed",
      reason: "halted: it is late; the answer of dev-g0-1 is the best (fitness 3)",
      result: { output: "first of dev-g0-1" },
    },
  });
});

test("a pool that is halted before an answer is over without one [PRM-pool.control]", async () => {
  const { agent } = member(never);
  const run = pool({ ...memory, goal: "go", agent, populationSize: 2 });
  for await (const event of run.events) if (event.type === "turn-started") break;
  await run.halt();
  expect(await run.parted).toMatchObject({
    event: { outcome: "completed", reason: "halted before an answer", result: { output: "" } },
  });
  expect(await run.evolve()).toEqual({ bestAgent: null, bestFitness: null, generations: 1 });
});

test("what cannot be a task is refused, and in a message told", async () => {
  let isTold: () => void = () => {};
  const told = new Promise<void>((resolve) => {
    isTold = resolve;
  });
  const { agent } = member(async () => {
    await told;
    return "FITNESS: 1";
  });
  const run = pool({ ...memory, goal: "go", agent, populationSize: 1, maxGenerations: 1 });
  for (const task of [" ", "x".repeat(20_000)])
    await expect(run.inject(task)).rejects.toMatchObject({ code: "POOL_TASK_INVALID" });
  await run.send("INJECT:");
  await run.send(`INJECT: ${"x".repeat(20_000)}`);
  await run.send("INJECTED and HALTED are other words");
  isTold();
  expect(await run.evolve()).toMatchObject({ generations: 1 });
  const logs: string[] = [];
  for await (const event of run.events) if (event.type === "log") logs.push(event.text);
  expect(logs).toEqual([
    "INJECT has no task, so nobody is taken in",
    "INJECT is too long for a task, so nobody is taken in",
  ]);
});

test("a pool that goes on in another process has taken in whom it had, and asks its functions nothing again [PRM-pool.control, ENG-14]", async () => {
  const rated: string[] = [];
  const fitnessExtractor = (output: string) => {
    rated.push(output);
    return output.length;
  };
  let isTakenIn: () => void = () => {};
  const taken = new Promise<void>((resolve) => {
    isTakenIn = resolve;
  });
  const dev = member(async ({ agent }) => {
    if (agent.startsWith("dev-g1")) return never();
    await taken;
    return "DONE: x";
  });
  const run = pool({
    cwd: directory,
    goal: "go",
    agent: dev.agent,
    ...{ populationSize: 1, maxGenerations: 1 },
    fitnessExtractor,
  });
  await run.inject("be longer");
  isTakenIn();
  for await (const event of run.events)
    if (event.type === "turn-started" && event.agent === "dev-g1-0") break;
  await run.suspend();
  const functions = { dev: ({ prompt }: Asked) => `DONE: ${/be longer/.exec(prompt)?.[0]}` };
  const patternFunctions = { fitnessExtractor };
  const resumed = await resumeRun(run.id, { cwd: directory, functions, patternFunctions });
  if (resumed.status === "over") throw new Error("it is over");
  expect(await resumed.run.result).toMatchObject({ output: "be longer" });
  expect(rated).toEqual(["x", "be longer"]);
});
