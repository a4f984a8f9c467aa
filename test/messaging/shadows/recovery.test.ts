import { expect, test } from "vitest";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { ShadowBinding } from "../../../src/contracts/shadow.ts";
import type { RunState } from "../../../src/fold/state/run-state.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "../../agents/agents-run.ts";

const RUN = "run_agents";

const BINDING: ShadowBinding = {
  of: "dev",
  receiveIncoming: true,
  receiveOutgoing: true,
  speakOn: ["REVIEW_REQUEST", "CODE_WRITTEN", "SESSION_END"],
};

async function program(context: Context): Promise<Json> {
  await context.spawn(agent("dev", { session: "keep" }));
  await context.spawn(agent("eye", { shadow: BINDING }));
  await context.post({ to: ["dev"], text: "begin" });
  await context.quiescent({ quietMs: 0 });
  await context.release("dev", "its work is over");
  await context.quiescent({ quietMs: 0 });
  return null;
}

const play: PlayedTurn = async function* ({ agent: id, client, prompt }) {
  if (id === "eye") return yield said(`seen ${prompt.match(/^> .*/m)?.[0]}`);
  await client.post({ text: "plan" });
  await client.post({ text: "REVIEW_REQUEST: plan" });
  yield { type: "file-change", path: "a.ts", kind: "create" };
  yield said("ok");
};

/** What everybody has in the end, whatever happened on the way: all of it once. */
function outcomeOf({ messages, mailboxes, deadLetters }: RunState, events: readonly string[]) {
  return {
    texts: messages.recent
      .filter(({ from }) => from !== "eye")
      .map(({ from, text }) => `${from}: ${text}`),
    events,
    left: mailboxes.get("eye")?.items.size,
    deadLetters,
  };
}

test("whenever the owner dies, a shadow gets each copy and each call once, and speaks on all of them [MSG-10, MSG-3, ENG-2]", async () => {
  const store = createCuttableStore();
  const first = runAgents(program, { backend: playedBackend(play), store, clock: systemClock });
  await first.over();
  const factsOf = (from: typeof store): readonly string[] => {
    const journal = from.open(RUN, "read");
    const facts = [...journal.read()].flatMap((event) => {
      if (event.type === "message-copied") return [`copy ${event.direction} ${event.id}`];
      return event.type === "shadow-called" ? [`call ${event.trigger} ${event.id}`] : [];
    });
    journal.close();
    return facts;
  };
  const kinds = (facts: readonly string[]) => facts.map((fact) => fact.split(" ", 2).join(" "));
  const whole = outcomeOf(first.owned.state, kinds(factsOf(store)));
  expect(whole).toEqual({
    texts: [
      "system: begin",
      "dev: plan",
      "dev: REVIEW_REQUEST: plan",
      expect.stringMatching(/^system: dev changed 1 file/),
      expect.stringMatching(/^system: The session of dev is over/),
    ],
    events: [
      "copy incoming",
      "copy outgoing",
      "copy outgoing",
      "call REVIEW_REQUEST",
      "call CODE_WRITTEN",
      "call SESSION_END",
    ],
    left: 0,
    deadLetters: [],
  });
  const cuts = store.commits(RUN).slice(0, -1);
  expect(cuts.length).toBeGreaterThan(8);
  for (const seq of cuts) {
    const cut = await store.cutAfter(RUN, seq);
    const backend = playedBackend(play);
    const second = runAgents(program, { backend, store: cut, clock: systemClock });
    await second.over();
    const facts = factsOf(cut);
    expect(new Set(facts).size).toBe(facts.length);
    expect(outcomeOf(second.owned.state, kinds(facts)), `cut after ${seq}`).toEqual(whole);
    const spoke = second.owned.state.messages.recent.filter(({ from }) => from === "eye");
    expect(new Set(spoke.map(({ text }) => text)).size).toBe(spoke.length);
  }
});

test("what a turn had changed before its owner died is told at its end, though the next attempt changes nothing [MSG-10, ENG-2]", async () => {
  const store = createCuttableStore();
  const first = runAgents(program, { backend: playedBackend(play), store, clock: systemClock });
  await first.over();
  const changed = first.all("file-changed")[0]?.seq ?? 0;
  const ended = first.all("turn-completed")[0]?.seq ?? 0;
  const seq = store.commits(RUN).find((last) => last >= changed) ?? 0;
  const cut = await store.cutAfter(RUN, Math.min(seq, ended - 1, changed));
  const idle: PlayedTurn = async function* () {
    yield said("ok");
  };
  const second = runAgents(program, {
    backend: playedBackend(idle),
    store: cut,
    clock: systemClock,
  });
  await second.over();
  const told = second.all("message-posted").filter(({ from }) => from === "system");
  expect(told.map(({ text }) => text.split("\n")[0])).toContain(
    "dev changed 1 file in its turn 1:",
  );
});
