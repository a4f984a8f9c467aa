import { expect, test } from "vitest";
import { settle } from "../../src/testing/manual-clock.ts";
import { agent, gate, playedBackend, runAgents, said } from "./agents-run.ts";

test("steps of one agent run side by side on fresh sessions, each of which ends with its step", async () => {
  const both = gate();
  let running = 0;
  const backend = playedBackend(async function* () {
    running += 1;
    if (running === 2) both.open();
    await both.opened;
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      const steps = ["one", "two"].map((name) =>
        context.scope(name, (step) => step.turn("a", name)),
      );
      await Promise.all(steps.map((step) => step.result));
      return null;
    },
    { backend },
  );
  await run.over();
  expect(backend.opened.map((request) => request.session)).toEqual(["a/one", "a/two"]);
  expect(backend.closed.toSorted()).toEqual(["a/one", "a/two"]);
  expect(run.all("session-ended").map((event) => event.reason)).toEqual(["done", "done"]);
  expect(run.owned.state.agents.get("a")?.sessions.size).toBe(0);
});

test("session: keep gives an agent's steps one session, one turn at a time, in the order of asking", async () => {
  let running = 0;
  const backend = playedBackend(async function* () {
    running += 1;
    expect(running).toBe(1);
    await settle(1);
    running -= 1;
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      const steps = ["one", "two", "three"].map((name) =>
        context.scope(name, (step) => step.turn("a", name)),
      );
      await Promise.all(steps.map((step) => step.result));
      return null;
    },
    { backend },
  );
  await run.over();
  expect(backend.opened.map((request) => request.session)).toEqual(["a/main"]);
  expect(backend.prompts.map(({ prompt, turn }) => ({ prompt, turn }))).toEqual([
    { prompt: "one", turn: 1 },
    { prompt: "two", turn: 2 },
    { prompt: "three", turn: 3 },
  ]);
  expect(backend.closed).toEqual(["a/main"]);
});

test("the run does not end before a session that is closing has closed [ENG-6]", async () => {
  const closing = gate();
  const played = playedBackend(async function* () {
    yield said("ok");
  });
  const backend = {
    ...played,
    open: async (request: Parameters<typeof played.open>[0]) => ({
      ...(await played.open(request)),
      close: () => closing.opened,
    }),
  };
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.scope("step", (step) => step.turn("a", "go")).result;
      return null;
    },
    { backend },
  );
  let isOver = false;
  const over = run.over().then(() => {
    isOver = true;
  });
  await settle();
  expect(isOver).toBe(false);
  closing.open();
  await over;
  expect(run.events.slice(-3).map((event) => event.type)).toEqual([
    "session-ended",
    "agent-exited",
    "run-ended",
  ]);
});
