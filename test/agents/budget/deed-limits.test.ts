import { expect, test } from "vitest";
import type { Budget } from "../../../src/contracts/budget.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { Json } from "../../../src/foundation/json.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  defineStepWorkflow,
  resumeInMemory,
  runStepsInMemory,
  runWorkflowInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { dataIn } from "../../programs/steps/flow-data.ts";
import { agent, plainKinds, playedBackend, runAgents, said } from "../agents-run.ts";
import { callerOf, runCast } from "../collab/collab-run.ts";

const hand = (to: string): Json => ({ say: `HANDOFF: ${to} yours` });

function desk(budget: Budget): TestWorkflow {
  return {
    pattern: "handoff",
    agents: [{ id: "triage", budget }, { id: "tech" }],
    turns: { maxAttempts: 1, retryDelayMs: 0 },
    options: { fallback: "tech" },
  };
}

test("an agent hands over as often as its own limit lets it: it is warned before, told of the one that does not count, and finishes itself [LIM-1.hand-offs]", async () => {
  const run = await runWorkflowInMemory(desk({ handoffs: 1, soft: 1 }), {
    task: "help",
    turns: {
      triage: [hand("tech"), hand("tech"), { say: "DONE: by triage" }],
      tech: [hand("triage"), { say: "DONE: by tech" }],
    },
  });
  expect(run.result).toMatchObject({
    output: "by triage",
    metadata: { path: ["triage", "tech", "triage"] },
  });
  const owner = { of: "agent", agent: "triage", meter: "handoffs", limit: 1, spent: 1 };
  expect(run.all("budget-warned")).toMatchObject([{ ...owner, cause: "soft" }]);
  expect(run.all("budget-exceeded")).toMatchObject([{ ...owner, turn: 2 }]);
  const refused = 'agent "triage" has reached its limit of 1 hand-over';
  expect(run.all("signal-received").filter(({ counted }) => !counted)).toMatchObject([
    { agent: "triage", turn: 2, refused },
  ]);
  expect(run.all("author-told")).toMatchObject([
    { agent: "triage", text: expect.stringContaining(refused) },
  ]);
  expect(run.state.budget.agents.get("triage")).toMatchObject({ handoffs: 1 });
  expect(run.state.budget.agents.get("tech")).toMatchObject({ handoffs: 1 });
});

test("a holder that insists on handing over beyond its own limit has failed, and the fallback gets the task [LIM-1.hand-offs]", async () => {
  const run = await runWorkflowInMemory(desk({ handoffs: 1 }), {
    task: "help",
    turns: {
      triage: [hand("tech"), hand("tech"), hand("tech")],
      tech: [hand("triage"), { say: "DONE: by tech" }],
    },
  });
  expect(run.result).toMatchObject({
    output: "by tech",
    metadata: { handoffs: [{ by: "signal" }, { by: "signal" }, { by: "fallback" }] },
  });
  expect(run.all("budget-exceeded")).toHaveLength(1);
});

test("the tool says how many hand-overs the narrowest budget leaves [LIM-1.hand-offs]", async () => {
  const call = (to: string): Json => ({
    do: [{ call: { tool: "handoff", arguments: { agent: to, reason: "yours" } } }],
    say: "I looked at it.",
  });
  const run = await runWorkflowInMemory(desk({ handoffs: 2 }), {
    task: "help",
    budget: { handoffs: 9 },
    turns: {
      triage: [
        call("tech"),
        call("tech"),
        {
          do: [{ call: { tool: "handoff", arguments: { agent: "tech", reason: "yours" } } }],
          say: "DONE: mine",
        },
      ],
      tech: [hand("triage"), hand("triage")],
    },
  });
  expect(run.all("tool-returned").map(({ isError, result }) => [isError, result])).toEqual([
    [false, JSON.stringify({ counted: true, agent: "tech", left: 1 })],
    [false, JSON.stringify({ counted: true, agent: "tech", left: 0 })],
    [true, expect.stringContaining("no hand-over is left")],
  ]);
});

const passing: TestFlowStep = {
  id: "pass",
  type: "pattern",
  settings: { pattern: "handoff", agents: ["a", "b"], task: "x" },
};
const agents = ["a", "b"].map((id) => ({ id }));
const after: TestFlowStep = { id: "after", type: "transform", settings: { transform: "errors" } };
const bounded = (step: TestFlowStep, budget: Budget): readonly TestFlowStep[] => [
  { ...step, budget, routes: { on_error: "after" } },
  after,
];
const turnsOfPassing = {
  a: [hand("b"), { say: "DONE: by a" }],
  b: [hand("a")],
};

test("whoever gets a task beyond the hand-overs of the step around begins no turn, and the step has failed with that limit [LIM-1.hand-offs]", async () => {
  const run = await runStepsInMemory(
    { agents, steps: bounded(passing, { handoffs: 1 }) },
    { turns: turnsOfPassing },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)["after"]).toMatchObject({ pass: { code: "LIMIT_HANDOFFS" } });
  expect(run.all("turn-started").map((turn) => turn.agent)).toEqual(["a", "b"]);
  expect(run.all("budget-warned")).toMatchObject([
    { of: "step", step: "pass", meter: "handoffs", spent: 1, limit: 1 },
  ]);
  const enough = await runStepsInMemory(
    { agents, steps: bounded(passing, { handoffs: 2 }) },
    { turns: turnsOfPassing },
  );
  expect(dataIn(enough)["pass"]).toMatchObject({ success: true, output: "by a" });
});

test("a step that runs a workflow counts the hand-overs of the child [LIM-1.hand-offs, ENG-12]", async () => {
  const child = defineStepWorkflow({ name: "child", agents, steps: [passing] });
  const review: TestFlowStep = { id: "review", type: "workflow", settings: { workflow: "child" } };
  const start = (handoffs: number) =>
    runStepsInMemory(
      { workflows: { child }, steps: bounded(review, { handoffs }) },
      { turns: turnsOfPassing, input: "x" },
    );
  const run = await start(1);
  expect(dataIn(run)["after"]).toMatchObject({ review: { code: "LIMIT_HANDOFFS" } });
  expect(run.state.budget.steps.get("review")).toMatchObject({ handoffs: 2 });
  expect(run.state.budget.steps.has("pass")).toBe(false);
  expect(dataIn(await start(2))["review"]).toMatchObject({ outcome: "completed" });
});

test("a run cut off at any commit counts each hand-over and each message once, for the run, its agents and its steps [LIM-1.hand-offs, ENG-2]", async () => {
  const store = createCuttableStore();
  const talk = { do: [{ send: { text: "look at this" } }] };
  const turns: Json = {
    a: [{ ...talk, say: "HANDOFF: b yours" }, { say: "DONE: by a" }],
    b: [{ ...talk, say: "HANDOFF: a yours" }],
  };
  const whole = await runStepsInMemory({ agents, steps: [passing] }, { store, turns });
  const usesOf = ({ state: { budget } }: FinishedRun) =>
    [budget.run, budget.agents.get("a"), budget.steps.get("pass")].map((use) => ({
      handoffs: use?.handoffs,
      messages: use?.messages,
      turns: use?.turns,
    }));
  expect(usesOf(whole)).toEqual([
    { handoffs: 2, messages: 3, turns: 3 },
    { handoffs: 1, messages: 2, turns: 2 },
    { handoffs: 2, messages: 3, turns: 3 },
  ]);
  const commits = store.commits(whole.id).slice(0, -1);
  // Enough of them that each hand-over and message lies between two.
  expect(commits.length).toBeGreaterThan(6);
  for (const seq of commits) {
    const resumed = await resumeInMemory(whole.id, { store: await store.cutAfter(whole.id, seq) });
    expect([seq, usesOf(await resumed.over())]).toEqual([seq, usesOf(whole)]);
  }
});

const at = (id: string) => ({ step: { id, path: id, execution: 1, attempt: 1 } });

test("agents post as many messages as the step of their turn has left, and others are not held up [LIM-1.hand-offs]", async () => {
  const answers: Json[] = [];
  const backend = playedBackend(async function* (request) {
    for (const text of ["one", "two"])
      answers.push(await callerOf(request)("channel_send", { message: text }));
    yield said("talked");
  });
  const program = async (context: Context): Promise<Json> => {
    for (const id of ["a", "b"]) await context.spawn(agent(id));
    await context.turn("a", "go", at("look"));
    await context.turn("a", "go", at("write"));
    return context.turn("b", "go", at("look")).then(
      () => "went on",
      (error: unknown) => String(Reflect.get(Object(error), "code")),
    );
  };
  const stepBudgets = new Map([["look", { messages: 1 }]]);
  const run = runAgents(program, { backend, stepBudgets });
  expect(await run.over()).toBe("LIMIT_MESSAGES");
  expect(answers.map((answer) => Reflect.get(Object(answer), "error"))).toEqual([
    ...[undefined, "LIMIT_MESSAGES"],
    ...[undefined, undefined],
  ]);
  const { steps } = run.owned.state.budget;
  expect([steps.get("look")?.messages, steps.get("write")?.messages]).toEqual([1, 2]);
});

test.each([
  { of: "agent", lead: { budget: { agents: 1 } }, stepBudgets: new Map() },
  { of: "step", lead: {}, stepBudgets: new Map([["look", { agents: 1 }]]) },
])(
  "an agent spawns as many as the limit of its $of leaves, warned before [LIM-1.hand-offs]",
  async ({ of, lead, stepBudgets }) => {
    const answers: Json[] = [];
    const run = runCast(
      {
        lead: [
          async (call) => {
            for (const name of ["one", "two"])
              answers.push(await call("spawn_agent", { name, prompt: "look" }));
            return "done";
          },
        ],
      },
      {
        lead,
        stepBudgets,
        turn: at("look"),
        childKinds: plainKinds,
        spawnLimits: { maxAgents: 9 },
      },
    );
    await expect.poll(() => answers.length).toBe(2);
    await run.stop();
    expect(answers.map((answer) => Reflect.get(Object(answer), "error"))).toEqual([
      undefined,
      "LIMIT_AGENTS",
    ]);
    expect(run.all("agent-spawned").map((event) => event.agent)).toEqual(["lead", "one"]);
    expect(run.all("budget-exceeded")).toMatchObject([{ of, meter: "agents", limit: 1, spent: 1 }]);
    expect(run.all("budget-warned")).toMatchObject([{ of, meter: "agents", cause: "soft" }]);
  },
);
