import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { StepType } from "../../../src/contracts/ports/step-type.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { createPatternStep } from "../../../src/programs/steps/pattern-step.ts";
import {
  defineStepWorkflow,
  runStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn, failuresIn, messagesIn } from "./flow-data.ts";

const patternStep = createPatternStep(await loadPatterns());

type Settings = { readonly [key: string]: Json };

const agents = (...ids: readonly string[]) => ids.map((id) => ({ id, backend: "function" }));
const pattern = (settings: Settings, more: Partial<TestFlowStep> = {}): TestFlowStep => ({
  id: "design",
  type: "pattern",
  settings,
  ...more,
});
const echo: AgentFunction = ({ agent, task }) => `${agent}(${task})`;

test("a fan-out as a step gives its agents the task; its outputs and how it went are the data [STP-1, PAT-fan-out]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("a", "b"),
      steps: [
        pattern(
          { pattern: "fan-out", agents: ["a", "B"], task: "look at {{input.what}}" },
          { routes: { next: "after" } },
        ),
        { id: "after", type: "transform", settings: { transform: "context.design.success" } },
      ],
    },
    { input: { what: "it" }, functions: { a: echo, b: echo } },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)).toEqual({
    design: {
      pattern: "fan-out",
      outcome: "completed",
      success: true,
      reason: "2 of 2 steps done",
      output: "## a\n\na(look at it)\n\n## b\n\nb(look at it)",
      metadata: {},
    },
    after: true,
  });
  expect(run.all("step-completed").map(({ path }) => path)).toEqual([
    "design/a",
    "design/b",
    "design",
    "after",
  ]);
  expect(run.all("agent-spawned")).toHaveLength(2);
});

test("a pipeline as a step hands on from stage to stage [STP-1, PAT-pipeline]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("one", "two"),
      steps: [
        pattern({
          pattern: "pipeline",
          steps: [
            { id: "draft", agent: "one" },
            { id: "polish", agent: "two", prompt: "{{steps.draft.output}} again" },
          ],
        }),
      ],
    },
    { input: "write", functions: { one: echo, two: echo } },
  );
  expect(dataIn(run)["design"]).toMatchObject({
    output: "two(one(write) again)",
    metadata: { stages: [{ name: "draft" }, { name: "polish" }] },
  });
});

test("a dag as a step keeps its conditions, attempts and checks, in snake_case [STP-1, PAT-dag]", async () => {
  let tries = 0;
  const run = await runStepsInMemory(
    {
      agents: agents("a"),
      steps: [
        pattern({
          pattern: "dag",
          steps: [
            { id: "first", prompt: "1" },
            { id: "shaky", depends_on: ["first"], max_attempts: 2, prompt: "{{agents.a.name}}" },
            { id: "never", depends_on: ["first"], when: 'steps.first.output == "x"', prompt: "2" },
            {
              id: "last",
              depends_on: ["shaky", "never"],
              verify: [{ output_matches: "^a\\(" }],
              prompt: "{{task}}",
            },
          ],
          agents: ["a"],
          error_handling: { retry_delay: "0ms" },
        }),
      ],
    },
    {
      input: { goal: "x" },
      functions: {
        a: (input) => {
          tries += input.step === "design/shaky" ? 1 : 0;
          if (input.step === "design/shaky" && tries < 2) throw new Error("not yet");
          return echo(input);
        },
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("step-retrying")).toMatchObject([{ path: "design/shaky", attempt: 1 }]);
  expect(run.all("step-skipped")).toMatchObject([{ path: "design/never" }]);
  expect(dataIn(run)["design"]).toMatchObject({ output: 'a({"goal":"x"})' });
});

test("the task is the data of `input` where the step has one [STP-1, STP-5]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("a", "b"),
      steps: [
        { id: "plan", type: "agent", settings: { agent: "a" }, routes: { next: "design" } },
        pattern({ pattern: "fan-out", agents: ["b"] }, { input: "plan" }),
      ],
    },
    { input: "the goal", functions: { a: () => "the plan", b: echo } },
  );
  expect(dataIn(run)["design"]).toMatchObject({ output: "b(the plan)" });
});

test("a pattern that does not complete fails its step, which keeps its data [STP-1, ENG-11]", async () => {
  const fails: AgentFunction = () => {
    throw new Error("no idea");
  };
  const run = await runStepsInMemory(
    {
      agents: agents("a"),
      steps: [
        pattern({ pattern: "fan-out", agents: ["a"] }, { routes: { on_error: "after" } }),
        { id: "after", type: "transform", settings: { transform: "context.design.outcome" } },
      ],
    },
    { functions: { a: fails } },
  );
  expect(run.outcome).toBe("completed");
  expect(failuresIn(run)).toMatchObject({ design: "STEP_PATTERN_FAILED" });
  expect(messagesIn(run)["design"]).toMatch(
    /^the fan-out of step "design" did not come to its end: step "a" failed: .*no idea/,
  );
  expect(dataIn(run)["after"]).toBe("failed");
});

test("a pattern in a loop, and tried again, shares its agents and counts its executions [STP-1]", async () => {
  let calls = 0;
  const run = await runStepsInMemory(
    {
      agents: agents("a"),
      steps: [
        {
          id: "twice",
          type: "loop",
          settings: { times: 2 },
          steps: [pattern({ pattern: "pipeline", agents: ["a"] }, { maxAttempts: 2 })],
        },
      ],
    },
    {
      functions: {
        a: () => {
          calls += 1;
          if (calls === 2) throw new Error("once");
          return String(calls);
        },
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("agent-spawned")).toHaveLength(1);
  const inner = run.all("step-started").filter(({ step }) => step === "a");
  expect(inner.map(({ path, execution }) => [path, execution])).toEqual([
    ["twice[1]/design/a", 1],
    ["twice[2]/design/a", 1],
    ["twice[2]/design/a", 2],
  ]);
  expect(dataIn(run)["design"]).toMatchObject({ output: "3" });
});

test("a barrier of a pattern in a step opens by the signal of a shared agent [STP-1, WF-10.barriers]", async () => {
  const run = await runStepsInMemory(
    {
      agents: [{ id: "dev" }, { id: "qa" }],
      steps: [
        pattern({
          pattern: "dag",
          steps: [
            { id: "build", agent: "dev", prompt: "build", expects: "BUILT" },
            { id: "test", agent: "qa", prompt: "test", depends_on: ["built"] },
          ],
          coordination: { barriers: [{ id: "built", wait_for: ["dev"], signal: "BUILT" }] },
        }),
      ],
    },
    { turns: { dev: [{ say: "BUILT: v1" }], qa: [{ say: "DONE: fine" }] } },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("pattern-advanced")).toMatchObject([{ kind: "barrier" }]);
});

test("a saga as a step undoes what its steps did when one fails [STP-1, PAT-more.saga]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("a", "b"),
      steps: [
        pattern({
          pattern: "saga",
          steps: [
            {
              id: "one",
              agent: "a",
              prompt: "do it",
              compensate: { agent: "B", prompt: "undo {{steps.one.output}}" },
            },
            { id: "two", agent: "a", prompt: "y", compensate: { command: ["echo", "undone"] } },
            { id: "three", agent: "a", prompt: "fail" },
          ],
        }),
      ],
    },
    {
      functions: {
        a: ({ task }) => {
          if (task === "fail") throw new Error("no");
          return task;
        },
        b: echo,
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-completed").map(({ path, output }) => [path, output])).toEqual([
    ["design/one", "do it"],
    ["design/two", "y"],
    ["design/two/compensate", "undone"],
    ["design/one/compensate", "b(undo do it)"],
  ]);
});

test.each<{ title: string; settings: Settings; problem: RegExp | undefined }>([
  { title: "nothing", settings: { pattern: "fan-out", agents: ["a"] }, problem: undefined },
  { title: "nobody", settings: { pattern: "fan-out" }, problem: /names nobody/ },
  {
    title: "two of an id",
    settings: { pattern: "dag", steps: [step("x"), step("X")] },
    problem: /two of the id "X"/,
  },
  {
    title: "a step that is not there",
    settings: { pattern: "dag", steps: [step("one", { depends_on: ["on"] })] },
    problem: /"one" depends on "on"/,
  },
  {
    title: "a circle",
    settings: {
      pattern: "dag",
      steps: [step("x", { depends_on: ["y"] }), step("y", { depends_on: ["x"] }), step("z")],
    },
    problem: /wait for each other: x, y$/,
  },
  {
    title: "a stage that waits for a later one",
    settings: { pattern: "pipeline", steps: [step("x", { depends_on: ["y"] }), step("y")] },
    problem: /"x" depends on "y", which comes after it/,
  },
  {
    title: "a fan-out whose step waits for another",
    settings: { pattern: "fan-out", steps: [step("x"), step("y", { depends_on: ["x"] })] },
    problem: undefined,
  },
  {
    title: "a step that waits for a later one where one follows the other",
    settings: {
      pattern: "mesh",
      coordination: { mode: "sequential" },
      steps: [step("x", { depends_on: ["y"] }), step("y")],
    },
    problem: /"x" depends on "y", which comes after it/,
  },
  ...(["dag", "parallel"] as const).map((mode) => ({
    title: `a pipeline in the mode ${mode}`,
    settings: { pattern: "pipeline", coordination: { mode }, steps: [step("x")] },
    problem: new RegExp(`the mode "${mode}", and that of pipeline is sequential`),
  })),
  {
    title: "bounds of turns where all turns are steps",
    settings: { pattern: "mesh", options: { bounds: { messages: 9 } }, steps: [step("x")] },
    problem: /has bounds, and all turns of this mesh are steps/,
  },
  {
    title: "bounds of turns that the pattern gives",
    settings: { pattern: "mesh", options: { turn_timeout: "5m" }, agents: ["a", "b"] },
    problem: undefined,
  },
  {
    title: "a graph in its own mode",
    settings: { pattern: "dag", coordination: { mode: "dag" }, steps: [step("x")] },
    problem: undefined,
  },
  {
    title: "a step of one of several agents",
    settings: { pattern: "dag", agents: ["a", "b"], steps: [{ id: "x" }] },
    problem: /"x" names no agent/,
  },
  {
    title: "an agent that does not take part",
    settings: { pattern: "dag", agents: ["b"], steps: [step("x")] },
    problem: /agent "a", which is not in agents/,
  },
  {
    title: "a variable of the workflow around it",
    settings: { pattern: "dag", steps: [step("x", { prompt: "{{context.plan}}" })] },
    problem: /"x" uses \{\{context\.plan\}\}/,
  },
  {
    title: "a condition on a step that is not there",
    settings: { pattern: "dag", steps: [step("x", { when: "steps.y.status == 'completed'" })] },
    problem: /"x" asks for step "y"/,
  },
  {
    title: "a condition that cannot be read",
    settings: { pattern: "dag", steps: [step("x", { when: "steps.x.status ==" })] },
    problem: /the expression cannot be read/,
  },
  {
    title: "a check of two kinds",
    settings: {
      pattern: "dag",
      steps: [step("x", { verify: [{ file_exists: "a", git_changed: true }] })],
    },
    problem: /a check with file_exists and git_changed/,
  },
  {
    title: "a check that cannot be compiled",
    settings: { pattern: "dag", steps: [step("x", { verify: [{ output_matches: "(" }] })] },
    problem: /no usable|not a usable/,
  },
  {
    title: "a way to undo in a pattern that does not",
    settings: { pattern: "dag", steps: [{ id: "x", agent: "a", compensate: { prompt: "y" } }] },
    problem: /"x" has compensate, and dag undoes nothing/,
  },
  {
    title: "two ways to undo a step",
    settings: {
      pattern: "saga",
      steps: [{ id: "x", agent: "a", compensate: { prompt: "y", command: "z" } }],
    },
    problem: /"x" has a compensate that is not one thing/,
  },
  {
    title: "a command that undoes with an agent",
    settings: {
      pattern: "saga",
      steps: [{ id: "x", agent: "a", compensate: { agent: "a", command: "z" } }],
    },
    problem: /"x" is undone by a command, and names an agent/,
  },
])(
  "a pattern step with $title is told so at load [STP-1, WF-2.load, PAT-steps-2.mode]",
  ({ settings, problem }) => {
    const about = { nestedCount: 0, routes: [] };
    const type: StepType = patternStep;
    const faults = type.check?.(type.settings.parse(settings), about) ?? [];
    if (problem === undefined) expect(faults).toEqual([]);
    else expect(faults.map((fault) => fault.problem).join("\n")).toMatch(problem);
  },
);

test("what means two things in the two shapes is refused: max_retries in a pattern's step [STP-4]", () => {
  const read = (settings: Settings) => patternStep.settings.safeParse(settings).success;
  expect(read({ pattern: "dag", steps: [step("x", { max_attempts: 2 })] })).toBe(true);
  expect(read({ pattern: "dag", steps: [step("x", { max_retries: 2 })] })).toBe(false);
  expect(read({ pattern: "dag", steps: [step("x", { dependsOn: [] })] })).toBe(false);
  expect(read({ pattern: "nonsense", agents: ["a"] })).toBe(false);
});

test("the agents of a pattern step are all that it names anywhere [STP-12]", () => {
  const settings = patternStep.settings.parse({
    pattern: "dag",
    steps: [step("x", { fallback: ["B"] }), step("y", { agent: "c" })],
    error_handling: { escalate_to: "d" },
    coordination: { barriers: [{ id: "k", wait_for: ["e", "b"] }] },
  });
  expect(patternStep.agents?.(settings)).toEqual(["a", "b", "c", "e", "d"]);
});

function step(id: string, more: Settings = {}): Json {
  return { id, agent: "a", ...more };
}

test("a pattern that gives turns itself does so in a step, with its block in snake_case and its agents in their roles [STP-1, PAT-consensus, PAT-consensus-2.block]", async () => {
  const scripted = (...ids: readonly string[]) => ids.map((id) => ({ id, backend: "script" }));
  const run = await runStepsInMemory(
    {
      agents: scripted("a", "b"),
      steps: [
        {
          id: "first",
          type: "agent",
          settings: { agent: "a", prompt: "look at it" },
          routes: { next: "design" },
        },
        pattern(
          {
            pattern: "consensus",
            agents: ["a", "B"],
            task: "indent",
            consensus: {
              ...{
                proposal: "use tabs",
                voters: ["a", "b"],
                type: "supermajority",
                threshold: 0.6,
              },
              ...{ quorum: 1, discussion: 1, open_ballot: true, weights: { a: 2 } },
              ...{ early_stop: true, timeout: "1h" },
            },
            error_handling: { max_attempts: 2, retry_delay: "0ms" },
          },
          { routes: { next: "after" } },
        ),
        { id: "after", type: "agent", settings: { agent: "a", prompt: "tell b" } },
      ],
    },
    {
      turns: {
        "a/first": [{ say: "DONE: seen" }],
        "a/after": [{ do: [{ send: { to: "b", text: "it is over" } }], say: "DONE: told" }],
        "a/design/a": [
          { expect: "use tabs", say: "I like them\nVERDICT: mine" },
          { say: "VOTE: approve" },
        ],
        "b/design/b": [
          { say: "I do not" },
          {
            expect: "I like them",
            do: [{ send: { to: "a", text: "in the vote" } }],
            say: "VOTE: reject",
          },
        ],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)["design"]).toMatchObject({
    pattern: "consensus",
    success: true,
    metadata: { decision: "approved", electorate: ["a", "b"] },
  });
  const sent = run.all("message-posted").filter(({ to }) => to !== undefined);
  expect(sent.map(({ text }) => text)).toEqual(["it is over"]);
  expect(run.all("signal-received").filter(({ counted }) => !counted)).toMatchObject([
    { agent: "a", refused: "only the judge gives a verdict" },
  ]);
  const sessions = run.all("turn-started").map(({ agent, session }) => `${agent} ${session}`);
  expect(new Set(sessions).size).toBe(4);
});

test("the block of a pattern step is checked like that of a file: its keys, its goal, who takes part [STP-1]", () => {
  const settings = (more: Settings) => patternStep.settings.parse({ agents: ["a", "b"], ...more });
  expect(
    patternStep.settings.safeParse({ pattern: "consensus", consensus: { openBallot: true } })
      .success,
  ).toBe(false);
  const faultsOf = (more: Settings) => patternStep.check(settings(more));
  expect(faultsOf({ pattern: "consensus", cascade: { tiers: [{ agent: "a" }] } })).toMatchObject([
    { key: "cascade", problem: "has cascade, which consensus does not know" },
  ]);
  expect(faultsOf({ pattern: "consensus", consensus: { proposal: "{{tusk}}" } })).toMatchObject([
    { key: "consensus", hint: expect.stringContaining("task") },
  ]);
  const among = defineStepWorkflow({ agents: agents("a", "b"), steps: [] });
  const wrong = settings({ pattern: "debate", debate: { positions: { a: "x", c: "y" } } });
  expect(patternStep.checkAmong?.(wrong, among)).toMatchObject([
    { key: "debate", problem: 'positions names "c", who is no agent' },
    { key: "debate", problem: "a debate needs 2 debaters, there is 1" },
  ]);
});

test("a hub and a tree of teams as steps: whoever waits is woken by what the others answer [PAT-hub-spoke, PAT-hierarchical]", async () => {
  /** Says a line once it has been told `word`. */
  const once =
    (word: string, line: string): AgentFunction =>
    ({ prompt }) =>
      prompt.includes(word) ? line : "I wait.";
  const run = await runStepsInMemory(
    {
      agents: [
        { id: "lead", role: "lead", backend: "function" },
        { id: "size", backend: "function" },
        { id: "team", role: "coordinator", reportsTo: "lead", backend: "function" },
        { id: "low", role: "worker", reportsTo: "team", backend: "function" },
      ],
      steps: [
        pattern(
          { pattern: "hub-spoke", agents: ["lead", "size"], task: "look" },
          { routes: { next: "again" } },
        ),
        pattern(
          { pattern: "hierarchical", agents: ["lead", "team", "low"], task: "look again" },
          { id: "again" },
        ),
      ],
    },
    {
      functions: {
        lead: once("3 files", "DONE: small"),
        size: () => "DONE: 3 files",
        team: once("4 files", "TEAM_DONE: 3 files"),
        low: () => "DONE: 4 files",
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)).toMatchObject({
    design: {
      output: "small",
      metadata: { workers: [{ agent: "size", status: "done", summary: "3 files" }] },
    },
    again: {
      output: "small",
      metadata: {
        tree: [
          { agent: "lead", status: "done" },
          { agent: "team", status: "done", summary: "3 files" },
          { agent: "low", status: "done", summary: "4 files" },
        ],
      },
    },
  });
});
