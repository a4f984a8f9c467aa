import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import type { Json } from "../../src/foundation/json.ts";
import { type CuttableStore, createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import {
  type AgentsRunOptions,
  agent,
  gate,
  type PlayedTurn,
  playedBackend,
  runAgents,
  said,
} from "./agents-run.ts";

const RUN = "run_agents";

type Program = (context: Context) => Promise<Json>;

/** Runs until an event, then leaves the run as the death of its owner would; resolves with the cut journal. */
async function dieAt(
  program: Program,
  options: AgentsRunOptions & { readonly at: (event: JournalEvent) => boolean },
): Promise<CuttableStore> {
  const store = createCuttableStore();
  const run = runAgents(program, { ...options, store });
  await settle();
  const seq = run.events.find(options.at)?.seq ?? 0;
  run.owned.interrupt(130);
  await run.owned.parted;
  return store.cutAfter(RUN, store.commits(RUN).find((last) => last >= seq) ?? seq);
}

const hang: PlayedTurn = async function* ({ signal }) {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield { type: "stop", reason: "cancelled" };
};

test.each(["fresh", "keep"] as const)(
  "after the owner's death a turn starts again: same number, key and items, the next attempt, the session resumed (%s) [ENG-2, AGT-7.crash, MSG-3, P2]",
  async (session) => {
    const program: Program = async (context) => {
      await context.spawn(agent("a", { session }));
      const turns = ["one", "two"].map((prompt) => context.turn("a", prompt));
      const texts = (await Promise.all(turns)).map((turn) => turn.text);
      return [...texts, (await context.turn("a", "three")).text];
    };
    const first = playedBackend(async function* (request, opened) {
      if (request.turn > 1) yield* hang(request, opened);
      else await request.client.post({ to: ["a"], text: "before" });
      yield said("first life");
    });
    const at = (event: JournalEvent) => event.type === "turn-started" && event.turn === 2;
    const store = await dieAt(program, { backend: first, at });
    const second = playedBackend(async function* () {
      yield said("second life");
    });
    const run = runAgents(program, { backend: second, store });
    await run.owned.command({ kind: "send", text: "after", to: ["a"], key: "k" }, "user");
    expect(await run.over()).toEqual(["first life", "second life", "second life"]);
    expect(run.all("turn-interrupted")).toMatchObject([{ turn: 2, reason: "owner-died" }]);
    const [, before] = first.prompts;
    const [again] = second.prompts;
    expect(before?.prompt).toMatch(/> before\n\ntwo$/);
    const { signal, client, interruption = "" } = again ?? {};
    const prompt = `${interruption}\n\n${before?.prompt}`;
    expect(again).toEqual({ ...before, signal, client, attempt: 2, interruption, prompt });
    expect(interruption).toContain("You were interrupted");
    expect(second.opened[0]?.resume).toBe("token of a/main 1");
    const later = second.prompts.slice(1).map(({ prompt }) => prompt);
    expect(later.filter((prompt) => prompt.includes("> after"))).toHaveLength(1);
    expect(later.filter((prompt) => prompt.includes("> before"))).toEqual([]);
  },
);

test("messages of a turn that was cut off go to no other turn, nor do they wake one of their own [MSG-3]", async () => {
  const program: Program = async (context) => {
    await context.spawn(agent("a", { session: "keep" }));
    await context.post({ to: ["a"], text: "wake up" });
    await context.quiescent({ quietMs: 0 });
    return (await context.turn("a", "the task")).text;
  };
  const store = await dieAt(program, {
    backend: playedBackend(hang),
    at: (event) => event.type === "agent-ready",
  });
  const second = playedBackend(async function* () {
    yield said("ok");
  });
  const run = runAgents(program, { backend: second, store, clock: systemClock });
  expect(await run.over()).toBe("ok");
  expect(second.prompts.map(({ turn, attempt, task }) => ({ turn, attempt, task }))).toEqual([
    { turn: 1, attempt: 2, task: "wake up" },
    { turn: 2, attempt: 1, task: "the task" },
  ]);
});

test("a message that a turn had posted before it was cut off is posted once [MSG-3]", async () => {
  const program: Program = async (context) => {
    await context.spawn(agent("a"));
    await context.turn("a", "speak");
    return null;
  };
  const speak: PlayedTurn = async function* (request, session) {
    const receipt = await request.client.post({ text: "hello" });
    if (request.attempt === 1) yield* hang(request, session);
    await request.client.post({ text: "bye" });
    yield said("id" in receipt ? receipt.id : "");
  };
  const store = await dieAt(program, {
    backend: playedBackend(speak),
    at: (event) => event.type === "message-posted",
  });
  const run = runAgents(program, { backend: playedBackend(speak), store });
  await run.over();
  const texts = run.owned.state.messages.recent.map((message) => message.text);
  expect(texts).toEqual(["hello", "bye"]);
  expect(run.owned.state.agents.get("a")?.lastText).toBe(run.owned.state.messages.recent[0]?.id);
});

test("a question answered while nobody ran the run reaches the turn that asks it again, unasked [ENG-19, P14]", async () => {
  const program: Program = async (context) => {
    await context.spawn(agent("a"));
    return (await context.turn("a", "ask")).text;
  };
  const backend = playedBackend(async function* ({ client }) {
    yield said(await client.ask("Which database?"));
  });
  const store = createCuttableStore();
  const first = runAgents(program, { backend, store, suspendsWhenWaiting: true });
  expect(await first.owned.parted).toMatchObject({
    status: "suspended",
    event: { reason: "waiting", exitCode: 3, waitingFor: [{ kind: "question", agent: "a" }] },
  });
  const [question] = first.all("question-asked");
  const journal = store.open(RUN, "write");
  const holder = { pid: 2, pidStartedAt: "0", bootId: "b", socketPath: "", command: "answer" };
  const lease = journal.takeLease({ ...holder, nowMs: 0 }, { ttlMs: 0, isGone: () => true });
  const command = { kind: "answer-question", id: question?.id ?? "", answer: "sqlite" } as const;
  const seq = journal.lastSeq() + 1;
  const at = first.events.at(-1)?.at ?? 0;
  await journal.append({
    epoch: lease.status === "taken" ? lease.epoch : 0,
    events: [{ type: "command-received", command, by: "user", seq, at }],
  });
  journal.releaseLease(seq);
  const second = runAgents(program, { backend, store });
  expect(await second.over()).toBe("sqlite");
  expect(second.all("question-asked")).toEqual([]);
});

test("a recorded message whose addressee is unknown does not keep the run from going on [ENG-19]", async () => {
  const program: Program = async (context) => {
    await context.spawn(agent("a"));
    return (await context.turn("a", "go")).text;
  };
  const store = await dieAt(program, {
    backend: playedBackend(hang),
    at: (event) => event.type === "agent-ready",
  });
  const journal = store.open(RUN, "write");
  const holder = { pid: 2, pidStartedAt: "0", bootId: "b", socketPath: "", command: "send" };
  const lease = journal.takeLease({ ...holder, nowMs: 0 }, { ttlMs: 0, isGone: () => true });
  const command = { kind: "send", text: "hi", to: ["nobody"], key: "k" } as const;
  const epoch = lease.status === "taken" ? lease.epoch : 0;
  const seq = journal.lastSeq() + 1;
  await journal.append({
    epoch,
    events: [{ type: "command-received", command, by: "user", seq, at: 0 }],
  });
  journal.releaseLease(epoch);
  const backend = playedBackend(async function* () {
    yield said("went on");
  });
  const run = runAgents(program, { backend, store });
  expect(await run.over()).toBe("went on");
  expect(run.all("log")).toMatchObject([
    { level: "warning", text: expect.stringContaining('no agent of this run is called "nobody"') },
  ]);
});

test("three deaths of the owner in a row during one turn suspend its run [ENG-23.deaths, P16]", async () => {
  const program: Program = async (context) => {
    await context.spawn(agent("a"));
    return context.turn("a", "kills its owner").then(
      (turn) => turn.text,
      (error: unknown) => (error instanceof Error ? error.message : ""),
    );
  };
  let store = await dieAt(program, {
    backend: playedBackend(hang),
    at: (event) => event.type === "agent-ready",
  });
  for (let death = 2; death <= 3; death += 1) {
    const started = gate();
    const backend = playedBackend(async function* (request, session) {
      started.open();
      yield* hang(request, session);
    });
    const run = runAgents(program, { backend, store });
    await started.opened;
    const [last = 0] = store.commits(RUN).toReversed();
    run.owned.interrupt(130);
    await run.owned.parted;
    store = await store.cutAfter(RUN, last);
  }
  let prompts = 0;
  const backend = playedBackend(async function* (request, session) {
    prompts += 1;
    yield* hang(request, session);
  });
  const run = runAgents(program, { backend, store });
  expect(await run.owned.parted).toMatchObject({
    status: "suspended",
    event: { error: { code: "ENGINE_CRASH_LOOP" } },
  });
  expect(prompts).toBe(0);
});
