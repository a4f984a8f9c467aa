import { expect, test } from "vitest";
import { z } from "zod";
import {
  defineBackend,
  defineGuard,
  definePattern,
  defineStepType,
  runWorkflow,
  workflow,
} from "../../src/index.ts";
import { expectRun, playWorkflow, runWorkflowInMemory } from "../../src/testing/index.ts";

const agents = [{ id: "a" }, { id: "b" }];
const turns = { a: [{ say: "DONE: one" }], b: [{ say: "DONE: two" }] };

const laps = definePattern({
  name: "laps",
  block: z.strictObject({ laps: z.int().default(2) }),
  run: async (_context, { agents: team, block, goal, turn, advance }) => {
    for (let lap = 1; lap <= block.laps; lap += 1)
      for (const { id } of team) await turn({ agent: id, now: await goal() });
    advance("over", block.laps);
    return { outcome: "failed", reason: `${block.laps} laps are too few` };
  },
});

test("an own pattern runs in the kit with its block's defaults, and its end is the run's, as in a real run [SDK-15.code]", async () => {
  const given = { patterns: [laps], task: "go" };
  const scripted = agents.map(({ id }) => ({
    id,
    backend: "script",
    script: [{ say: "DONE: 1" }],
  }));
  const real = runWorkflow({ pattern: "laps", agents: scripted, laps: {} }, "go", {
    ...{ store: "memory", patterns: [laps] },
  });
  const parting = await real.parted;
  expect(parting.event).toMatchObject({ outcome: "failed", reason: "2 laps are too few" });

  const tested = await runWorkflowInMemory(
    { pattern: "laps", agents, options: {} },
    { ...given, turns: { "*": { repeat: "last", turns: [{ say: "DONE: 1" }] } } },
  );
  const played = await playWorkflow(
    { name: "x", pattern: "laps", agents, laps: {} },
    { ...given, agents: { "*": [{ say: "DONE: 1" }] }, repeat: "last" },
  );
  for (const run of [tested, played]) {
    expect(run.outcome).toBe("failed");
    expect(run.events.filter(({ type }) => type === "turn-started")).toHaveLength(4);
    expect(run.events.at(-1)).toMatchObject({ reason: "2 laps are too few" });
  }
});

test("a vote that nobody casts fails in the kit: no pattern that gives turns becomes a step per agent [SDK-15.patterns]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "consensus", agents, options: { proposal: "tabs" } },
    { task: "x", turns: { "*": { repeat: "last", turns: [{ say: "hm" }] } } },
  );
  expect(run.outcome).toBe("failed");
  expect(run.result?.metadata).toMatchObject({ decision: "undecided", missing: ["a", "b"] });
});

test("what a file would be refused for is refused in the kit: a wrong block, a stranger as voter, an unknown pattern [SDK-15.code]", async () => {
  const start = (pattern: string, options: { readonly [key: string]: string | number }) =>
    runWorkflowInMemory({ pattern, agents, options }, { turns });
  await expect(start("consensus", { quorumm: 2 })).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    message: expect.stringContaining("quorumm"),
  });
  await expect(start("debate", { judge: "nobody" })).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
  });
  await expect(start("laps", {})).rejects.toMatchObject({ code: "WORKFLOW_UNKNOWN_PATTERN" });
});

test("own step types, guards and functions are carried out by the kit, for what a builder made too [SDK-15.code]", async () => {
  const said: string[] = [];
  const shout = defineStepType({
    name: "shout",
    settings: z.strictObject({ text: z.string() }),
    templates: ["text"],
    execute: (_input, { settings, scope }) => ({ said: scope.text(settings.text).toUpperCase() }),
  });
  const never = defineGuard({ name: "never", check: () => "enough is enough" });
  const built = workflow("own")
    .agents({ ann: {} })
    .stepTypes(shout)
    .steps({
      ask: { type: "agent", agent: "ann", next: "say" },
      say: { type: "shout", text: "hello {{input}}" },
    });
  const functions = {
    ann: () => {
      said.push("ann");
      return "DONE: yes";
    },
  };
  const run = await playWorkflow(built, { input: "world", stepTypes: [shout], functions });
  expectRun(run).toHaveEnded("completed");
  expect(said).toEqual(["ann"]);
  expect(run.state.steps.byPath.get("say")).toMatchObject({ status: "completed" });
  const guarded = await playWorkflow(built, {
    ...{ input: "world", stepTypes: [shout], functions, guards: [never] },
  });
  expect(guarded.outcome).not.toBe("completed");
  await expect(
    playWorkflow(built, { stepTypes: [shout], functions: { anna: functions.ann } }),
  ).rejects.toMatchObject({ code: "WORKFLOW_FUNCTION_UNUSED" });
});

test("agents that name an own backend have it in the kit, others are scripted [SDK-15.code]", async () => {
  const house = defineBackend({
    name: "house",
    create: ({ session }) => ({
      name: "house",
      ...{ conventions: "none", demandsSignal: false, takesMessages: false, metering: "free" },
      check: async () => [],
      open: async (request) => session(request, async ({ request: { task } }) => `house: ${task}`),
    }),
  });
  const content = {
    ...{ name: "x", pattern: "pipeline" },
    agents: [{ id: "a", backend: "house" }, { id: "b" }],
  };
  const played = await playWorkflow(content, {
    ...{ backends: [house], task: "hi", agents: { b: [{ say: "DONE: two" }] } },
  });
  const tested = await runWorkflowInMemory(
    { pattern: "pipeline", agents: [{ id: "a", backend: "house" }, { id: "b" }] },
    { backends: [house], task: "hi", turns: { b: [{ say: "DONE: two" }] } },
  );
  for (const run of [played, tested]) {
    expect(run.outcome).toBe("completed");
    expect(run.state.steps.byPath.get("a")).toMatchObject({ output: "house: hi" });
  }
});
