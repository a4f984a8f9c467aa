import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { Json } from "../../src/foundation/json.ts";
import { type CuttableStore, createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "./agents-run.ts";

const RUN = "run_agents";
const RESTART = { kind: "restart", agent: "a" } as const;

const hang: PlayedTurn = async function* ({ signal }) {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield { type: "stop", reason: "cancelled" };
};

/** An agent that hangs until its session is another one, and one beside it. */
const pair = async (context: Context): Promise<Json> => {
  await context.spawn(agent("a", { session: "keep" }));
  await context.spawn(agent("b", { session: "keep" }));
  const turns = await Promise.all([context.turn("a", "the task"), context.turn("b", "its task")]);
  return turns.map(({ text }) => text);
};

const hangsFirst: PlayedTurn = async function* (request, session) {
  if (session.spec.id === "a" && request.turn === 1) yield* hang(request, session);
  yield said(`${session.spec.id} did turn ${request.turn}`);
};

test("an agent that is restarted is cut off, takes its turn again on a fresh session and what came meanwhile with it; others go on [USE-10.restart]", async () => {
  const backend = playedBackend(hangsFirst);
  const run = runAgents(pair, { backend });
  await settle();
  await run.owned.command({ kind: "send", text: "meanwhile", to: ["a"], key: "k" }, "user");
  await run.owned.command(RESTART, "user");
  expect(await run.over()).toEqual(["a did turn 2", "b did turn 1"]);
  const sessions = backend.opened.map(({ session, resume }) => ({ session, resume }));
  expect(sessions).toEqual([
    { session: "a/main", resume: undefined },
    { session: "b/main", resume: undefined },
    { session: "a/main", resume: undefined },
  ]);
  expect(backend.closed.toSorted()).toEqual(["a/main", "a/main", "b/main"]);
  const again = backend.prompts.at(-1)?.prompt;
  expect(again).toContain("> meanwhile");
  expect(again).toMatch(/the task$/u);
  expect(run.all("agent-restarted")).toMatchObject([{ agent: "a", by: "user" }]);
  expect(run.all("turn-interrupted")).toMatchObject([{ agent: "a", turn: 1, reason: "restarted" }]);
  expect(run.all("agent-exited").map(({ reason }) => reason)).toEqual(["released", "released"]);
});

test("an idle agent that is restarted lets go of its session at once, and begins its next turn on a fresh one [USE-10.restart]", async () => {
  const backend = playedBackend(async function* (_, session) {
    yield said(session.spec.id);
  });
  const clock = createManualClock();
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      await context.turn("a", "one");
      await context.sleep(60_000);
      return (await context.turn("a", "two")).text;
    },
    { backend, clock },
  );
  await settle();
  await run.owned.command(RESTART, "user");
  await settle();
  expect(backend.closed).toEqual(["a/main"]);
  expect(run.all("session-ended")).toMatchObject([{ session: "a/main", reason: "replaced" }]);
  await clock.advance(60_000);
  expect(await run.over()).toBe("a");
  expect(backend.opened.map(({ resume }) => resume)).toEqual([undefined, undefined]);
  expect(run.all("turn-interrupted")).toEqual([]);
});

/** The run as it was when its owner died just after an event. */
async function dieAfter(isLast: (event: JournalEvent) => boolean): Promise<CuttableStore> {
  const store = createCuttableStore();
  const run = runAgents(pair, { backend: playedBackend(hangsFirst), store });
  await settle();
  await run.owned.command(RESTART, "user");
  await run.over();
  const seq = run.events.find(isLast)?.seq ?? 0;
  return store.cutAfter(RUN, store.commits(RUN).find((last) => last >= seq) ?? seq);
}

test.each([
  ["it was written down", (event: JournalEvent) => event.type === "agent-restarted"],
  ["its turn was cut off", (event: JournalEvent) => event.type === "turn-interrupted"],
  ["its session had ended", (event: JournalEvent) => event.type === "session-ended"],
  [
    "it had begun anew",
    (event: JournalEvent) =>
      event.type === "turn-started" && event.agent === "a" && event.turn === 2,
  ],
])(
  "an owner that dies when %s leaves no session of before to be gone on with [USE-10.restart, P2]",
  async (_, isLast) => {
    const store = await dieAfter(isLast);
    const backend = playedBackend(async function* (_request, session) {
      yield said(`${session.spec.id} again`);
    });
    const run = runAgents(pair, { backend, store });
    const [first] = (await run.over()) as readonly Json[];
    expect(first).toBe("a again");
    const [opened] = backend.opened.filter(({ session }) => session === "a/main");
    expect([undefined, "token of a/main 3"]).toContain(opened?.resume);
    expect(run.all("agent-restarted").length).toBeLessThanOrEqual(1);
  },
);

test("who is gone or was never there cannot be restarted [USE-10.restart]", async () => {
  const clock = createManualClock();
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.sleep(60_000);
      return null;
    },
    { backend: playedBackend(hangsFirst), clock },
  );
  await settle();
  await run.owned.command({ kind: "release", agent: "a", force: true }, "user");
  await settle();
  for (const [id, code] of [
    ["nobody", "AGENT_UNKNOWN"],
    ["a", "AGENT_GONE"],
  ] as const)
    await expect(run.owned.command({ kind: "restart", agent: id }, "user")).rejects.toMatchObject({
      code,
    });
  await clock.advance(60_000);
  await run.over();
});
