import { expect, test } from "vitest";
import { builtInPatterns } from "../../../src/programs/patterns/registry.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { load } from "../../workflows/load-options.ts";

type Mode = "dag" | "sequential" | "parallel";

/** Patterns that are made of something else than steps. */
const WITHOUT_STEPS = ["auction", "gossip", "iterate", "pool", "team"];
/** Who takes part where a pattern wants to know more than two agents. */
const MEMBERS: { readonly [pattern: string]: string } = {
  "hub-spoke": "[{ id: a, role: hub }, { id: b }]",
  supervisor: "[{ id: a, role: hub }, { id: b }]",
  hierarchical: "[{ id: a }, { id: b, reportsTo: a }]",
  collab: "[{ id: a }]",
};
const BLOCKS: { readonly [pattern: string]: string } = {
  competitive: "competitive: { judge: b, worktrees: false }\n",
};
const MODES: readonly Mode[] = ["dag", "sequential", "parallel"];
const OWN_MODE: { readonly [pattern: string]: Mode } = { pipeline: "sequential", dag: "dag" };
const DEFAULT_MODE: { readonly [pattern: string]: Mode } = {
  ...OWN_MODE,
  saga: "sequential",
  "fan-out": "parallel",
};

const names = builtInPatterns.map(({ name }) => name);
const stepped = names.filter((name) => !WITHOUT_STEPS.includes(name));

function fileOf(pattern: string, mode: Mode | undefined): string {
  const members = MEMBERS[pattern] ?? "[{ id: a }, { id: b }]";
  const undone = pattern === "saga" ? ', compensate: { command: "true" }' : "";
  const second = members.includes("id: b") ? "b" : "a";
  return [
    `name: f\npattern: ${pattern}\nbackend: script\nagents: ${members}\n`,
    BLOCKS[pattern] ?? "",
    mode === undefined ? "" : `coordination: { mode: ${mode} }\n`,
    `steps:\n  - { id: one, agent: a, prompt: first part${undone} }\n`,
    `  - { id: two, agent: ${second}, prompt: second part }\n`,
  ].join("");
}

async function runFile(
  pattern: string,
  mode?: Mode,
  first = "DONE: the first",
): Promise<FinishedRun> {
  const { definition, problems } = load(fileOf(pattern, mode));
  expect(problems.map(({ message }) => message)).toEqual([]);
  if (definition === undefined) throw new Error("the file was not loaded");
  return runWorkflowInMemory(definition, {
    task: "x",
    turns: {
      a: [{ say: first }, { say: "DONE: the second" }],
      b: [{ say: "DONE: the second" }],
    },
  });
}

/** Starts and ends of steps, in order. */
function courseOf({ events }: FinishedRun): string {
  const course = events.flatMap((event) => {
    if (event.type === "step-started") return [`+${event.path}`];
    return event.type === "step-completed" ? [`-${event.path}`] : [];
  });
  return course.join(" ");
}

function conventionOf(run: FinishedRun, part: string): string {
  const asked = run.all("operation-scheduled").map(({ input }) => JSON.stringify(input));
  const prompt = asked.find((input) => input.includes(part)) ?? "";
  return /## Working Together.*?---/.exec(prompt)?.[0] ?? "";
}

const SIDE_BY_SIDE = /^\+(one|two) \+(one|two) -(one|two) -(one|two)$/;
const IN_TURN = "+one -one +two -two";

test.each(stepped)(
  "the steps of %s run in the order of its mode, and the run ends with them [PAT-steps.order, PAT-steps-2.mode, WF-10.mode]",
  async (pattern) => {
    const own = OWN_MODE[pattern];
    for (const mode of own === undefined ? [undefined, ...MODES] : [undefined, own]) {
      const run = await runFile(pattern, mode);
      expect({ mode, outcome: run.outcome }).toEqual({ mode, outcome: "completed" });
      const isList = (mode ?? DEFAULT_MODE[pattern] ?? "dag") === "sequential";
      if (isList) expect(courseOf(run)).toBe(IN_TURN);
      else expect(courseOf(run)).toMatch(SIDE_BY_SIDE);
    }
  },
);

test.each(stepped.filter((name) => name !== "dag"))(
  "in turn, a step of %s that fails holds up what comes after it, whose prompt may count on it [PAT-steps.order]",
  async (pattern) => {
    const run = await runFile(pattern, "sequential", "FAILED: no");
    expect([courseOf(run).startsWith("+one"), run.outcome]).toEqual([true, "failed"]);
    expect(run.all("step-started").map(({ path }) => path)).not.toContain("two");
  },
);

test("each step is a turn under the conventions of its pattern, which are no other's [PAT-steps.conventions]", async () => {
  const told = await Promise.all(
    stepped.map(async (pattern) => conventionOf(await runFile(pattern), "first part")),
  );
  for (const convention of told) expect(convention).toContain("Your id is a");
  // A supervisor is a hub that assigns, and is told what a hub is told.
  expect(new Set(told).size).toBe(stepped.length - 1);
});

test.each(WITHOUT_STEPS)("%s is made of no steps, and says so [PAT-steps-2.mode]", (pattern) => {
  const { problems } = load(fileOf(pattern, undefined));
  expect(problems.map(({ message }) => message).join("\n")).toContain("has no steps");
});

const BOUNDS: readonly (readonly [pattern: string, block: string, bounds: readonly string[]])[] = [
  ["mesh", "mesh: { maxRounds: 2 }", ["maxRounds"]],
  ["blackboard", "blackboard: { maxRounds: 2 }", ["maxRounds"]],
  ["handoff", "handoff: { entryPoint: a, maxHandoffs: 2 }", ["maxHandoffs"]],
  ["cascade", "cascade: { maxEscalations: 1 }", ["maxEscalations"]],
  ["debate", "debate: { maxRounds: 2, earlyConvergence: true }", ["maxRounds", "earlyConvergence"]],
  [
    "consensus",
    "consensus: { discussion: 1, timeout: 5m, earlyStop: true }",
    ["discussion", "timeout", "earlyStop"],
  ],
  ["review-loop", "reviewLoop: { author: a, maxRounds: 2 }", ["maxRounds"]],
  ["reflection", "reflectionLoop: { author: a, maxRounds: 2 }", ["maxRounds"]],
  ["red-team", "redTeam: { author: a, maxRounds: 2 }", ["maxRounds"]],
  ["verifier", "verifier: { worker: a, maxAttempts: 2 }", ["maxAttempts"]],
  ["mixture-of-agents", "mixtureOfAgents: { layers: 2 }", ["layers"]],
  ["map-reduce", "mapReduce: { items: [x] }", ["items"]],
];

test.each(BOUNDS)(
  "with steps the block of %s may say who is who, and a bound in it is an error [PAT-steps-2.bounds]",
  (pattern, block, bounds) => {
    const lines = fileOf(pattern, undefined).replace("steps:", `${block}\nsteps:`);
    const messages = load(lines).problems.map(({ message }) => message);
    expect(messages).toEqual(bounds.map((bound) => `${bound} bounds nothing beside steps`));
  },
);

test("what bounds the turns of a pattern is an error where all its turns are steps [PAT-steps-2.bounds]", () => {
  const options = "options: { turnTimeout: 5m, bounds: { messages: 9 } }\n";
  const problemsOf = (pattern: string, file = fileOf(pattern, undefined)) =>
    load(file.replace("agents:", `${options}agents:`)).problems.map(({ message }) => message);
  for (const pattern of ["mesh", "dag", "fan-out"])
    expect(problemsOf(pattern)).toEqual([
      `options.turnTimeout has no meaning here: all turns of this ${pattern} are steps`,
      `options.bounds has no meaning here: all turns of this ${pattern} are steps`,
    ]);
  const talk = "name: f\npattern: mesh\nagents: [{ id: a }, { id: b }]\n";
  expect(problemsOf("mesh", talk)).toEqual([]);
});

test("a part of an agent beside steps is an error [PAT-parts.steps]", () => {
  const file = fileOf("mesh", undefined).replace("{ id: b }", "{ id: b, task: look }");
  expect(load(file).problems.map(({ message }) => message)).toEqual([
    "agents.b.task has no meaning beside steps: their prompts are the parts",
  ]);
  expect(load(file.slice(0, file.indexOf("steps:"))).problems).toEqual([]);
});

test("a fan-out starts what waits for nothing, then what waits for that [PAT-steps-2.fan-out, PAT-fan-out]", async () => {
  const steps = [
    { id: "sum", agent: "c", prompt: "sum", dependsOn: ["one", "two"] },
    { id: "one", agent: "a", prompt: "one" },
    { id: "two", agent: "b", prompt: "two" },
  ];
  const agents = ["a", "b", "c"].map((id) => ({ id }));
  const done = [{ say: "DONE: it" }];
  const graph = await runWorkflowInMemory(
    { pattern: "fan-out", agents, steps },
    { task: "x", turns: { a: done, b: done, c: done } },
  );
  expect(courseOf(graph)).toMatch(/^\+(one|two) \+(one|two) -(one|two) -(one|two) \+sum -sum$/);
});

test("steps that wait for each other are never done, whoever wrote them [ENG-11]", async () => {
  const definition = defineTestWorkflow({
    pattern: "mesh",
    mode: "sequential",
    agents: [{ id: "a" }],
    steps: [{ id: "one", dependsOn: ["two"] }, { id: "two" }],
  });
  const run = await runWorkflowInMemory(definition, { task: "x" });
  expect(run.outcome).toBe("failed");
  expect(run.all("run-ended")[0]?.reason).toContain("steps wait for each other: one, two");
});
