import { expect, test } from "vitest";
import type { Context, TurnOptions } from "../../src/contracts/ports/context.ts";
import type { StepAddress } from "../../src/contracts/step.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

const STEP: StepAddress = { id: "code", path: "loop/code", execution: 3, attempt: 2 };

/** What the backend of agent "a" is asked for in the turns that a program gives. */
async function requestsOf(program: (context: Context) => Promise<unknown>) {
  const backend = playedBackend(async function* () {
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await program(context);
      return null;
    },
    { backend },
  );
  await run.over();
  return { prompts: backend.prompts, run };
}

async function requestOf(prompt: string, options: TurnOptions = {}) {
  const { prompts, run } = await requestsOf((context) => context.turn("a", prompt, options));
  const [request] = prompts;
  if (request === undefined) throw new Error("nothing was asked");
  return { request, run };
}

test("a turn of a step is asked for with its path, its attempt, what went wrong before, and one key for the execution", async () => {
  const { request, run } = await requestOf("go", { step: STEP, previousError: "it was blue" });
  expect(request).toMatchObject({
    ...{ run: "run_agents", agent: "a", turn: 1, attempt: 1, key: "run_agents/loop/code#3" },
    ...{ step: "loop/code", stepAttempt: 2, previousError: "it was blue" },
  });
  expect(run.all("turn-started")[0]?.key).not.toBe(request.key);
});

test("each turn for an execution counts as an attempt of it, also where the step says no more than one", async () => {
  const { prompts } = await requestsOf(async (context) => {
    for (const changes of [{ execution: 3 }, { execution: 3 }, { execution: 4 }, { attempt: 6 }])
      await context.turn("a", "go", { step: { ...STEP, attempt: 1, ...changes } });
  });
  expect(prompts.map(({ stepAttempt }) => stepAttempt)).toEqual([1, 2, 1, 6]);
});

test("a turn without a step has the key of what it is for, and says nothing of steps, errors and messages", async () => {
  const { request, run } = await requestOf("go");
  expect(request.key).toBe(run.all("turn-started")[0]?.key);
  for (const absent of ["step", "stepAttempt", "previousError", "messages", "compact"])
    expect(request).not.toHaveProperty(absent);
});

test("a program gets the task alone; without one it is the prompt", async () => {
  const { request } = await requestOf("many conventions", { task: "the task" });
  expect(request).toMatchObject({ prompt: "many conventions", task: "the task" });
  expect((await requestOf("the prompt")).request).toMatchObject({ task: "the prompt" });
});

test("a program is given what waits for it only where it is to take that, before its task", async () => {
  const { prompts } = await requestsOf(async (context) => {
    await context.post({ to: ["a"], text: "mind the gap" });
    await context.turn("a", "first", { task: "own" });
    await context.post({ to: ["a"], text: "and the step" });
    await context.turn("a", "second", { task: "own", takesMessages: true });
    await context.turn("a", "third", { task: "own", takesMessages: true });
  });
  expect(prompts.map(({ task }) => task)).toEqual([
    "own",
    expect.stringMatching(/\n> and the step\n\nown$/),
    "own",
  ]);
  expect(prompts.map(({ prompt }) => prompt)).toEqual([
    expect.stringMatching(/\n> mind the gap\n\nfirst$/),
    expect.stringMatching(/\n> and the step\n\nsecond$/),
    "third",
  ]);
});

test("a turn of messages alone gives them whole, however long they are, each apart", async () => {
  const long = `${"x".repeat(40_000)} end`;
  const backend = playedBackend(async function* ({ agent: id, client }) {
    if (id === "b") for (const text of [long, "short"]) await client.post({ to: ["a"], text });
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      await context.spawn(agent("b"));
      await context.turn("b", "write to a");
      await context.quiescent({ quietMs: 0 });
      return null;
    },
    { backend, clock: systemClock, maxTurnsPerBackend: 1 },
  );
  await run.over();
  const request = backend.prompts.find(({ agent: id }) => id === "a");
  expect(request?.messages?.map(({ text }) => text === long || text)).toEqual([true, "short"]);
  expect(request?.task === `${long}\n\nshort`).toBe(true);
  expect(request?.key).toBe(run.all("turn-started").find(({ agent: id }) => id === "a")?.key);
});

test("turns that an agent has taken are counted by what they were for", async () => {
  const { prompts } = await requestsOf(async (context) => {
    await context.turn("a", "one", { step: STEP });
    await context.turn("a", "two", { step: STEP });
    await context.turn("a", "three");
    await context.turn("a", "four");
  });
  expect(prompts.map(({ turnsBefore }) => turnsBefore)).toEqual([
    {},
    { "loop/code": 1 },
    { "loop/code": 2 },
    { "loop/code": 2, "": 1 },
  ]);
});
