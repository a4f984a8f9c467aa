import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { TurnRequest } from "../../src/contracts/backend.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { foldAll } from "../../src/fold/fold.ts";
import type { Json } from "../../src/foundation/json.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { type AgentsRun, agent, playedBackend, runAgents, said } from "../agents/agents-run.ts";
import { createMortalStore, type Death, type MortalStore } from "./mortal-store.ts";

// Senders outside of the run and agents inside of it write to each other, their owner dies at any commit,
// before or after it is durable, and whoever got no answer sends again under the same key. Then what must
// hold of the journal is checked, without knowing how the engine works.

const AGENTS: readonly string[] = ["ann", "ben", "cy"];
const SENDERS: readonly string[] = ["s1", "s2"];
const RUN = "run_agents";
const STOP = "stop the run";
// No case needs a tenth of them.
const MOST_ROUNDS = 1000;

type Step =
  | {
      readonly kind: "send";
      readonly sender: string;
      readonly to: string;
      readonly isDirect: boolean;
      /** How often the message is passed on from agent to agent. */
      readonly hops: number;
    }
  | { readonly kind: "retry" }
  | { readonly kind: "die"; readonly death: Death };

/** What happens, in order, and how turns end: one entry after the other, over and over. */
export interface DeliveryCase {
  readonly steps: readonly Step[];
  readonly endings: readonly ("end_turn" | "max_turns" | "error")[];
}

const death: fc.Arbitrary<Death> = fc.record({
  atCommit: fc.integer({ min: 1, max: 6 }),
  isWritten: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      sender: fc.constantFrom(...SENDERS),
      to: fc.constantFrom(...AGENTS),
      isDirect: fc.boolean(),
      hops: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "retry" } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("die" as const), death }) },
);

export const deliveryCases: fc.Arbitrary<DeliveryCase> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 10 }),
  endings: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant("end_turn" as const) },
      { weight: 1, arbitrary: fc.constantFrom("max_turns" as const, "error" as const) },
    ),
    { minLength: 1, maxLength: 6 },
  ),
});

interface Sent {
  readonly key: string;
  readonly sender: string;
  readonly text: string;
  readonly to?: readonly string[];
  isAnswered: boolean;
}

/** Plays a case over a store and checks it; throws what does not hold. */
export async function checkDelivery(plan: DeliveryCase, inner: RunStore): Promise<void> {
  const store = createMortalStore(inner);
  const world = new World(plan, store);
  // A run whose first commit is lost was never there; that is another story.
  await settle(12);
  for (const one of plan.steps) await world.play(one);
  await world.finish();
  world.follow();
  const journal = store.open(RUN, "read");
  const events = [...journal.read()];
  journal.close();
  // What was durable once stays as it was.
  deepStrictEqual(world.followed, events);
  store.close();
  assertDelivered(events, world);
}

/** Everybody outside of the run, and whoever owns it now. */
class World {
  readonly sent: Sent[] = [];
  /** What somebody has read of the journal from outside, going on from time to time where it stopped. */
  readonly followed: JournalEvent[] = [];
  readonly #plan: DeliveryCase;
  readonly #store: MortalStore;
  #owner: AgentsRun;
  #result: Json | undefined;

  constructor(plan: DeliveryCase, store: MortalStore) {
    this.#plan = plan;
    this.#store = store;
    this.#owner = this.#begin();
  }

  /** What the program of the run has read of the channel. */
  get read(): Json | undefined {
    return this.#result;
  }

  async play(one: Step): Promise<void> {
    if (one.kind === "die") this.#store.doom(one.death);
    else if (one.kind === "send") this.#send(one);
    else this.#sendUnanswered();
    await settle(12);
    this.follow();
    if (this.#store.isDead) await this.#reconnect();
  }

  /** Reads on from outside. */
  follow(): void {
    const journal = this.#store.open(RUN, "read");
    this.followed.push(...journal.read(this.followed.at(-1)?.seq ?? 0));
    journal.close();
  }

  /** Goes on until nobody has anything left to do, with deaths if they are still due. */
  async finish(): Promise<void> {
    for (let [quiet, round] = [0, 0]; quiet < 2; round += 1) {
      ok(round < MOST_ROUNDS, "the run does not come to rest");
      const before = this.#owner.owned.state.lastSeq;
      await settle(12);
      if (this.#store.isDead) await this.#reconnect();
      else if (this.#owner.owned.state.lastSeq === before) quiet += 1;
    }
    ok(this.sent.every(({ isAnswered }) => isAnswered));
    this.#store.spare();
    await this.#owner.owned.command({ kind: "send", text: STOP, key: "stop" }, "user");
    // A run that gave up a message has failed; where each message went is checked all the same.
    const parting = await this.#owner.owned.parted;
    ok(parting.status === "ended", "the run was let go");
    const { error, result } = parting.event;
    ok(error === undefined || error.code === "MESSAGE_DROPPED", error?.message);
    this.#result = result;
  }

  #begin(): AgentsRun {
    const backend = playedBackend((request) => this.#turn(request));
    return runAgents(readUntilStop, { backend, store: this.#store });
  }

  #send({ sender, to, isDirect, hops }: Extract<Step, { readonly kind: "send" }>): void {
    const number = this.sent.length + 1;
    const key = `${sender}/${number}`;
    const text = `${isDirect ? "" : `@${to} `}#${number} hops=${hops}`;
    const sent = { key, sender, text, ...(isDirect ? { to: [to] } : {}), isAnswered: false };
    this.sent.push(sent);
    // A sender goes on to its next message only when the one before was answered.
    if (this.#waiting(sender).length === 1) this.#deliver(sent);
  }

  #waiting(sender: string): readonly Sent[] {
    return this.sent.filter((one) => one.sender === sender && !one.isAnswered);
  }

  #deliver(sent: Sent): void {
    const { key, text, to } = sent;
    const command = { kind: "send", text, key, ...(to === undefined ? {} : { to }) } as const;
    this.#owner.owned.command(command, "user").then(
      () => {
        sent.isAnswered = true;
        const [next] = this.#waiting(sent.sender);
        if (next !== undefined) this.#deliver(next);
      },
      // Whoever got no answer sends again once there is an owner.
      () => {},
    );
  }

  #sendUnanswered(): void {
    for (const sender of SENDERS) {
      const [next] = this.#waiting(sender);
      if (next !== undefined) this.#deliver(next);
    }
  }

  async #reconnect(): Promise<void> {
    this.#store.revive();
    this.#owner = this.#begin();
    await settle(4);
    this.#sendUnanswered();
  }

  async *#turn({ agent: name, turn, task, client }: TurnRequest) {
    const { endings } = this.#plan;
    for (const [, number = "", hops = "0"] of task.matchAll(/#([\d.]+) hops=(\d)/g)) {
      const next = AGENTS[(AGENTS.indexOf(name) + 1) % AGENTS.length];
      if (Number(hops) > 0)
        await client.post({
          text: `@${next} #${number}.1 hops=${Number(hops) - 1}`,
          lastSeen: 0,
          force: true,
        });
    }
    const ending = endings[(turn - 1) % endings.length] ?? "end_turn";
    if (ending === "error")
      yield {
        type: "error" as const,
        error: { code: "BACKEND_X", message: "broke" },
        sessionLost: false,
      };
    else if (ending === "max_turns") yield { type: "stop" as const, reason: ending, text: "" };
    else yield said("ok");
  }
}

/** Reads the main channel as a program does, one outcome after the other, across all owners. */
async function readUntilStop(context: Context): Promise<Json> {
  const channel = context.subscribe({ kinds: ["message"], channel: "main" });
  for (const id of AGENTS) await context.spawn(agent(id, { session: "keep" }));
  const read: string[] = [];
  for (;;) {
    const fact = await context.next(channel);
    if (fact?.type !== "message-posted") throw new Error("something else than a message came");
    if (fact.text === STOP) return read;
    read.push(fact.text);
  }
}

function assertDelivered(events: readonly JournalEvent[], { sent, read }: World): void {
  const state = foldAll(RUN, events);
  const { recent: all } = state.messages;
  const bySender = (sender: string) => sent.filter((one) => one.sender === sender);
  const posted = all.map(({ text }) => text).filter((text) => text !== STOP);
  // Nothing lost, nothing twice: each key is in the journal once, and nothing else of outside is.
  deepStrictEqual(
    all
      .filter(({ from, text }) => from === "user" && text !== STOP)
      .map(({ text }) => text)
      .sort(),
    sent.map(({ text }) => text).sort(),
  );
  // Each sender's messages stand in the order in which it sent them.
  for (const sender of SENDERS) {
    const texts = bySender(sender).map(({ text }) => text);
    deepStrictEqual(
      posted.filter((text) => texts.includes(text)),
      texts,
    );
  }
  // The program has read the channel as it is, without gap, repetition or another order.
  const inMain = all.filter(({ channel, text }) => channel === "main" && text !== STOP);
  deepStrictEqual(
    read,
    inMain.map(({ text }) => text),
  );
  assertAckedOnce(events);
  deepStrictEqual(
    [...state.mailboxes.values()].map(({ items }) => items.size).filter((size) => size > 0),
    [],
  );
}

/** Each item of an inbox leaves it once: with a turn that ended well, or given up after five that did not. */
function assertAckedOnce(events: readonly JournalEvent[]): void {
  const due = new Set<string>();
  const ends = new Map<string, number>();
  const taken = new Map<string, readonly string[]>();
  const end = (name: string) => ends.set(name, (ends.get(name) ?? 0) + 1);
  for (const event of events) {
    if (event.type === "message-posted")
      for (const reader of event.to ?? event.mentions) due.add(`${reader}<${event.id}`);
    if (event.type === "message-delivered") taken.set(`${event.agent}#${event.turn}`, event.ids);
    if (event.type === "turn-completed" && event.stopReason === "end_turn")
      for (const id of taken.get(`${event.agent}#${event.turn}`) ?? []) end(`${event.agent}<${id}`);
    if (event.type === "message-dead") end(`${event.agent}<${event.id}`);
  }
  deepStrictEqual(
    [...due].sort().map((name) => [name, 1]),
    [...ends].sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}
