import { expect, test } from "vitest";
import type { AgentFunctionInput } from "../../src/contracts/agent-function.ts";
import type { Json } from "../../src/foundation/json.ts";
import type { TestWorkflow } from "../../src/testing/define-test-workflow.ts";
import { runStepsInMemory, runWorkflowInMemory } from "../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../src/testing/tested-run.ts";
import { runKickoff } from "./kickoff/kickoff-run.ts";
import { runWoken } from "./patterns/woken-run.ts";

const CUT = { say: "cut short", stop: "max_turns" };
/** Five turns that give the message up, then one without it that goes well. */
const givesUp = (last: Json) => [CUT, CUT, CUT, CUT, CUT, last];
/** Asks with its first turn, and is done once the other one is. */
const lead = { id: "a", backend: "function" };
const leads = () => {
  let turns = 0;
  return async ({ task }: AgentFunctionInput) => {
    turns += 1;
    if (turns === 1) return "@b look at the tests";
    return task.includes("DONE: mine") ? "DONE: all" : "I wait";
  };
};
const asks = (say: string) => ({ do: [{ send: { to: "b", text: "look at the tests" } }], say });
const retried = { maxAttempts: 6, retryDelayMs: 0 };
const pair = [{ id: "a" }, { id: "b" }];

const flowStep = (id: string, agent: string, next?: string) => ({
  ...{ id, type: "agent" as const, settings: { agent, prompt: "go" } },
  ...(next === undefined ? {} : { routes: { next } }),
});

const woken = (workflow: Partial<TestWorkflow>, turns: Json) => () =>
  runWoken(
    { agents: pair, turns: retried, bounds: { messages: 100 }, ...workflow },
    { task: "ship it", turns, functions: { a: leads() } },
  );

const TALK = "context:\nagents: { a: {}, b: {} }\nkickoff: go @a\n";

const SHAPES: readonly (readonly [shape: string, run: () => Promise<FinishedRun>])[] = [
  [
    "steps of a graph",
    () =>
      runWorkflowInMemory(
        {
          agents: pair,
          steps: [
            { id: "first", agent: "a" },
            { id: "second", agent: "b", dependsOn: ["first"], ...retried },
          ],
        },
        { turns: { a: [asks("DONE: asked")], b: givesUp({ say: "DONE: mine" }) } },
      ),
  ],
  [
    "a step workflow",
    () =>
      runStepsInMemory(
        {
          agents: pair,
          steps: [
            flowStep("zero", "b", "first"),
            flowStep("first", "a", "second"),
            { ...flowStep("second", "b"), ...retried },
          ],
        },
        {
          turns: {
            a: [asks("DONE: asked")],
            b: [{ say: "DONE: here" }, ...givesUp({ say: "DONE: mine" })],
          },
        },
      ),
  ],
  [
    "a mesh",
    woken(
      { pattern: "mesh" },
      {
        a: [asks("asked"), { say: "DONE: a" }],
        b: [{ say: "hm" }, ...givesUp({ say: "DONE: b" })],
      },
    ),
  ],
  [
    "a hub",
    woken(
      { pattern: "hub-spoke", agents: [{ ...lead, role: "hub" }, { id: "b" }] },
      { b: givesUp({ say: "DONE: mine" }) },
    ),
  ],
  [
    "a hierarchy",
    woken(
      {
        pattern: "hierarchical",
        agents: [
          { ...lead, role: "lead" },
          { id: "b", role: "worker", reportsTo: "a" },
        ],
      },
      { b: givesUp({ say: "DONE: mine" }) },
    ),
  ],
  [
    "a conversation that goes on until it is stopped",
    () =>
      runKickoff(TALK, {
        until: "stopped",
        turns: { a: [{ say: "@b look at the tests" }], b: givesUp({ say: "here" }) },
        onEvent: (event, run) => {
          if (event.type === "message-dead") run.command({ kind: "stop" }).catch(() => {});
        },
      }),
  ],
  [
    "a conversation that ends when it is quiet",
    () =>
      runKickoff(TALK, {
        turns: { a: [{ say: "@b look at the tests" }], b: givesUp({ say: "here" }) },
      }),
  ],
];

test.each(SHAPES)(
  "a run that had to give up a message between agents has failed and says which: %s [MSG-11.dropped]",
  async (_shape, start) => {
    const run = await start();
    const [dead] = run.all("message-dead");
    expect(dead).toMatchObject({ agent: "b" });
    expect(run).toMatchObject({
      outcome: "failed",
      parting: {
        event: {
          error: {
            code: "MESSAGE_DROPPED",
            message: `message ${dead?.id} from "a" to "b" was dropped: 5 turns with it failed`,
            details: { id: dead?.id, from: "a", to: "b" },
          },
        },
      },
    });
  },
);

test("a message that an agent left unread because its session failed for good was dropped, too [MSG-11.dropped]", async () => {
  const run = await runKickoff(TALK, {
    until: "stopped",
    turns: {
      a: [{ say: "@b look at the tests" }],
      b: { repeat: "last", turns: [{ crash: true }] },
    },
    onEvent: (event, run) => {
      if (event.type === "agent-exited") run.command({ kind: "stop" }).catch(() => {});
    },
  });
  expect(run.parting).toMatchObject({
    event: {
      outcome: "failed",
      error: { details: { from: "a", to: "b", why: expect.stringMatching(/^"b" gave up: /) } },
    },
  });
});

test.each([
  [
    "what a person or Troupe wrote",
    () =>
      runKickoff(TALK, {
        until: "stopped",
        turns: { a: { repeat: "last", turns: [CUT] } },
        onEvent: (event, run) => {
          if (event.type === "message-dead") run.command({ kind: "stop" }).catch(() => {});
        },
      }),
  ],
  [
    "what nobody had read when the signal of the lead ended all",
    woken(
      { pattern: "hub-spoke", agents: [{ id: "a", role: "hub" }, { id: "b" }] },
      { a: [asks("DONE: all"), { say: "DONE: all" }], b: [{ hang: true }] },
    ),
  ],
])("no message between agents was dropped: %s [MSG-11.dropped]", async (_what, start) => {
  expect(await start()).toMatchObject({ outcome: "completed" });
});
