import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { TurnRequest, TurnUpdate } from "../../../src/contracts/backend.ts";
import type { CollabStatusName } from "../../../src/contracts/collab.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import { type CuttableStore, createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, type ManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { type Call, callerOf } from "./collab-run.ts";
import { LedStage } from "./led-stage.ts";

// A lead and its agents, whose turns last until the case ends them, are led through any order of spawning, input,
// interruption, waiting, closing, coming back and deaths of the owner. After every step the statuses are those of
// a reference model that knows nothing of turns and mailboxes, and at the end every ending was told exactly once.

const OUTCOMES = ["completed", "failed", "error", "max_turns", "cancelled"] as const;
type OutcomeName = (typeof OUTCOMES)[number];

type Step =
  | { readonly kind: "spawn"; readonly below: number | undefined }
  | { readonly kind: "send"; readonly to: number; readonly interrupt: boolean }
  | { readonly kind: "end"; readonly of: number; readonly outcome: OutcomeName }
  | { readonly kind: "wait"; readonly ids: readonly number[]; readonly mode: "all" | "any" }
  | { readonly kind: "close" | "resume"; readonly of: number }
  | { readonly kind: "lead-ends"; readonly isCutOff: boolean }
  | { readonly kind: "pass"; readonly seconds: number }
  | { readonly kind: "crash" };

const who = fc.nat({ max: 5 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("spawn" as const),
      below: fc.option(who, { nil: undefined, freq: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      to: who,
      interrupt: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      of: who,
      outcome: fc.constantFrom(...OUTCOMES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ids: fc.array(who, { maxLength: 3 }),
      mode: fc.constantFrom("all" as const, "any" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("close" as const, "resume" as const), of: who }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("lead-ends" as const), isCutOff: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      seconds: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "crash" } as const) },
);

/** What happens, in order. */
export const collabCases: fc.Arbitrary<readonly Step[]> = fc.array(step, {
  minLength: 1,
  maxLength: 20,
});

/** What the model knows of one agent. */
interface ModelAgent {
  readonly id: string;
  readonly parent: string;
  status: CollabStatusName;
  /** Inputs that no turn has taken. */
  queued: number;
  endings: number;
}

/** A `wait` that has not returned. */
interface OpenWait {
  readonly ids: readonly string[];
  readonly mode: "all" | "any";
  readonly dueMs: number;
  answer: { readonly [name: string]: unknown } | undefined;
}

/** More cut-off turns of the lead would give its messages up. */
const MOST_CUT_OFFS = 3;
/** An operation whose owners die more often than that has killed them, and is given up. */
const MOST_CRASHES = 2;
const CLIENT_SECONDS = 50;
const RUN = "run_agents";

class Stage extends LedStage {
  constructor(store: CuttableStore, clock: ManualClock) {
    super(store, clock, { spawnLimits: { maxDepth: 2 } });
  }

  call(id: string): Call | undefined {
    const turn = this.turns.get(id);
    return turn === undefined ? undefined : callerOf(turn.request);
  }
}

/** Leads a run through a case and compares it with the model after every step. */
export async function checkCollab(steps: readonly Step[]): Promise<void> {
  const play = new Play();
  try {
    await play.begin();
    for (const each of steps) {
      await play.take(each);
      await play.compare(each);
    }
    await play.finish();
  } finally {
    await play.stage.stop();
  }
}

class Play {
  readonly clock = createManualClock();
  stage = new Stage(createCuttableStore(), this.clock);
  readonly agents: ModelAgent[] = [];
  waits: OpenWait[] = [];
  #count = 0;
  /** What closing came to, by the call. */
  readonly #closed = new Map<string, CollabStatusName>();
  readonly #calls = new WeakMap<TurnRequest, Map<string, number>>();
  #cutOffs = 0;
  #crashes = 0;

  async begin(): Promise<void> {
    await settle();
    ok(this.stage.turns.has("lead"), "the lead has begun");
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "spawn":
        return this.#spawn(step.below);
      case "send":
        return this.#send(this.#pick(step.to), step.interrupt);
      case "end":
        return this.#end(this.#pick(step.of), step.outcome);
      case "wait":
        return this.#wait(step.ids, step.mode);
      case "close":
        return this.#close(this.#pick(step.of));
      case "resume":
        return this.#resume(this.#pick(step.of));
      case "lead-ends":
        return this.#endLead(step.isCutOff);
      case "pass":
        return this.clock.advance(step.seconds * 1000);
      case "crash":
        return this.#crash();
    }
  }

  /** The statuses of all agents, and which waits have returned with what. */
  async compare(step: Step): Promise<void> {
    await settle();
    const listed = await this.#lead("list_agents");
    const statuses = Object.fromEntries(this.agents.map(({ id, status }) => [id, status]));
    const found = Array.isArray(listed["agents"]) ? listed["agents"] : [];
    deepStrictEqual(
      Object.fromEntries(
        found.map((each) => [Reflect.get(each, "id"), Reflect.get(each, "status")]),
      ),
      statuses,
      `after ${JSON.stringify(step)}`,
    );
    this.#compareWaits();
  }

  /** Every ending is told in exactly one turn of its parent that ended well. */
  async finish(): Promise<void> {
    for (let round = 0; round < 20 && this.stage.turns.has("lead"); round += 1) {
      this.stage.turns.get("lead")?.end({ type: "stop", reason: "end_turn", text: "ok" });
      await settle();
    }
    ok(!this.stage.turns.has("lead"), "the lead comes to rest");
    const { state } = this.stage.run.owned;
    const own = this.agents.filter(({ parent }) => parent === "lead");
    const endings = own.reduce((sum, { endings: count }) => sum + count, 0);
    const notices = state.messages.recent.filter(
      ({ from, to }) => from === "system" && to?.includes("lead") === true,
    );
    deepStrictEqual(notices.length, endings, "one message for each ending");
    deepStrictEqual([...(state.mailboxes.get("lead")?.items.keys() ?? [])], [], "all are told");
    deepStrictEqual(
      state.deadLetters.filter(({ agent: id }) => id === "lead"),
      [],
    );
    this.#compareDeliveries(notices.map(({ id }) => id));
  }

  #compareDeliveries(notices: readonly string[]): void {
    const events = [...this.stage.store.open(RUN, "read").read()];
    const good = new Set(
      events.flatMap((event) =>
        event.type === "turn-completed" && event.agent === "lead" && event.stopReason === "end_turn"
          ? [event.turn]
          : [],
      ),
    );
    const begun = new Map<number, number>();
    for (const event of events)
      if (event.type === "turn-started" && event.agent === "lead") begun.set(event.turn, event.seq);
    for (const notice of notices) {
      const turns = events.flatMap((event) =>
        event.type === "message-delivered" &&
        event.agent === "lead" &&
        event.ids.includes(notice) &&
        // What an attempt was told that was cut off with its owner, nobody knows.
        event.seq > (begun.get(event.turn) ?? 0)
          ? [event.turn]
          : [],
      );
      deepStrictEqual(
        new Set(turns.filter((turn) => good.has(turn))).size,
        1,
        `${notice} is told once`,
      );
    }
  }

  #pick(index: number): ModelAgent | undefined {
    return this.agents.length === 0 ? undefined : this.agents[index % this.agents.length];
  }

  async #lead(
    tool: string,
    input: Parameters<Call>[1] = {},
  ): Promise<{ readonly [name: string]: unknown }> {
    const call = this.stage.call("lead");
    ok(call !== undefined, "the lead is at work");
    const answer = call(tool, input);
    await settle();
    return answer;
  }

  async #spawn(below: number | undefined): Promise<void> {
    const parent = below === undefined ? undefined : this.#pick(below);
    const isChild = parent?.parent === "lead" && this.stage.turns.has(parent.id);
    const by = isChild && parent !== undefined ? parent.id : "lead";
    const answer = await this.stage.call(by)?.("spawn_agent", { prompt: this.#next() });
    const id = String(answer?.["id"]);
    deepStrictEqual(answer, { id, name: id, status: "pending_init" });
    this.agents.push({ id, parent: by, status: "running", queued: 0, endings: 0 });
  }

  async #send(to: ModelAgent | undefined, interrupt: boolean): Promise<void> {
    if (to === undefined) return;
    const answer = await this.#lead("send_input", { id: to.id, prompt: this.#next(), interrupt });
    if (to.status === "shutdown") {
      deepStrictEqual(answer, { error: "COLLAB_OVER" });
      return;
    }
    deepStrictEqual(answer, { id: to.id, name: to.id, status: "running" });
    if (to.status === "running" && !interrupt) to.queued += 1;
    else to.queued = 0;
    to.status = "running";
  }

  async #end(of: ModelAgent | undefined, outcome: OutcomeName): Promise<void> {
    if (of === undefined || of.status !== "running") return;
    const turn = this.stage.turns.get(of.id);
    ok(turn !== undefined, `${of.id} is at work`);
    turn.end(toUpdate(outcome, this.#next()));
    await settle();
    of.endings += 1;
    if (of.queued > 0) of.queued = 0;
    else of.status = statusAfter(outcome);
    this.#tellParent(of);
  }

  /** That a child has ended is something to do for its parent. */
  #tellParent({ parent: id }: ModelAgent): void {
    const parent = this.agents.find((each) => each.id === id);
    if (parent === undefined || parent.status === "shutdown") return;
    if (parent.status === "running") parent.queued += 1;
    parent.status = "running";
  }

  async #wait(indices: readonly number[], mode: OpenWait["mode"]): Promise<void> {
    const chosen = new Set(indices.flatMap((index) => this.#pick(index)?.id ?? []));
    const own = this.agents.filter(({ parent }) => parent === "lead").map(({ id }) => id);
    const ids = chosen.size > 0 ? [...chosen] : own;
    const call = this.stage.call("lead");
    ok(call !== undefined, "the lead is at work");
    if (ids.length === 0) {
      deepStrictEqual(await call("wait"), { error: "COLLAB_NOTHING_TO_WAIT_FOR" });
      return;
    }
    if (this.waits.length >= 16) return;
    const dueMs = this.clock.now() + CLIENT_SECONDS * 1000;
    const wait: OpenWait = { ids, mode, dueMs, answer: undefined };
    this.waits.push(wait);
    call("wait", { ids: [...chosen], mode })
      .then((answer) => {
        wait.answer = answer;
      })
      .catch(() => {});
    await settle();
  }

  #compareWaits(): void {
    for (const wait of [...this.waits]) {
      const statuses = wait.ids.map((id) => this.#known(id).status);
      const isFinal = (status: CollabStatusName) => status !== "running";
      const isOver = wait.mode === "all" ? statuses.every(isFinal) : statuses.some(isFinal);
      const isDue = this.clock.now() >= wait.dueMs;
      deepStrictEqual(wait.answer !== undefined, isOver || isDue, "a wait returns in its time");
      if (wait.answer === undefined) continue;
      this.waits = this.waits.filter((each) => each !== wait);
      const told = Object.entries(Object(wait.answer["statuses"]));
      deepStrictEqual(
        told.map(([id, status]) => [id, Reflect.get(Object(status), "status")]),
        wait.ids.map((id, index) => [id, statuses[index]]),
      );
      deepStrictEqual(wait.answer["timed_out"], !isOver);
    }
  }

  async #close(of: ModelAgent | undefined): Promise<void> {
    if (of === undefined) return;
    const call = this.#closing(of.id);
    const first = this.#closed.get(call);
    const answer = await this.#lead("close_agent", { id: of.id });
    const below = this.agents.filter(({ id, parent }) => id === of.id || parent === of.id);
    const closed = below.filter(({ status }) => status !== "shutdown");
    deepStrictEqual(
      answer["closed"],
      closed.map(({ id }) => id),
    );
    // A turn that is started again gets the answer that the call had the first time.
    const isAgain = first !== undefined && closed.length === 0;
    const previous = isAgain ? first : of.status;
    deepStrictEqual(Reflect.get(Object(answer["previous_status"]), "status"), previous);
    this.#closed.set(call, previous);
    for (const each of closed) {
      each.status = "shutdown";
      each.endings += 1;
    }
    for (const each of closed) this.#tellParent(each);
  }

  /** Names the call by which the lead closes an agent next: by its turn, and how often that has done so before. */
  #closing(id: string): string {
    const request = this.stage.turns.get("lead")?.request;
    ok(request !== undefined, "the lead is at work");
    const calls = this.#calls.get(request) ?? new Map<string, number>();
    const before = calls.get(id) ?? 0;
    this.#calls.set(request, calls.set(id, before + 1));
    return `${request.key} ${id} ${before}`;
  }

  async #resume(of: ModelAgent | undefined): Promise<void> {
    if (of === undefined) return;
    const parent = this.agents.find(({ id }) => id === of.parent);
    const answer = await this.#lead("resume_agent", { id: of.id, prompt: this.#next() });
    const isOver = of.status === "shutdown" || of.status === "errored";
    if (!isOver || parent?.status === "shutdown") {
      deepStrictEqual(answer, { error: isOver ? "COLLAB_OVER" : "COLLAB_NOT_OVER" });
      return;
    }
    const status = of.status === "shutdown" ? "pending_init" : "running";
    deepStrictEqual(answer, { id: of.id, name: of.id, status });
    of.status = "running";
    of.queued = 0;
  }

  async #endLead(isCutOff: boolean): Promise<void> {
    const isCut = isCutOff && this.#cutOffs < MOST_CUT_OFFS;
    if (isCut) this.#cutOffs += 1;
    const reason = isCut ? "max_turns" : "end_turn";
    this.waits = [];
    this.stage.turns.get("lead")?.end({ type: "stop", reason, text: "ok" });
    await settle();
    await this.#wakeLead();
  }

  async #wakeLead(): Promise<void> {
    if (this.stage.turns.has("lead")) return;
    const command = { kind: "send", text: "go on", to: ["lead"], key: this.#next() } as const;
    await this.stage.run.owned.command(command, "user");
    await settle();
  }

  /** The owner dies as it stands; the next one finds what was durable, which is all. */
  async #crash(): Promise<void> {
    if (this.#crashes === MOST_CRASHES) return;
    this.#crashes += 1;
    const before = this.stage;
    const seq = before.run.owned.state.lastSeq;
    const store = await before.store.cutAfter(RUN, seq);
    this.waits = [];
    await before.stop();
    this.stage = new Stage(store, this.clock);
    await settle();
    await this.#wakeLead();
  }

  #known(id: string): ModelAgent {
    const known = this.agents.find((each) => each.id === id);
    if (known === undefined) throw new Error(`the model has no ${id}`);
    return known;
  }

  /** A text that no other is like, so that no call counts as one of before. */
  #next(): string {
    this.#count += 1;
    return `text ${this.#count}`;
  }
}

function toUpdate(outcome: OutcomeName, text: string): TurnUpdate {
  switch (outcome) {
    case "completed":
      return { type: "stop", reason: "end_turn", text };
    case "failed":
      return { type: "stop", reason: "end_turn", text: `FAILED: ${text}` };
    case "error":
      return { type: "error", error: toErrorReport(new Error(text)) };
    case "max_turns":
    case "cancelled":
      return { type: "stop", reason: outcome, text };
  }
}

function statusAfter(outcome: OutcomeName): CollabStatusName {
  if (outcome === "completed") return "completed";
  return outcome === "cancelled" ? "interrupted" : "errored";
}
