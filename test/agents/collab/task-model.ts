import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { callerOf } from "./collab-run.ts";
import { LedStage } from "./led-stage.ts";

// A lead gives tasks to subagents, whose turns last until the case ends them, while its own turns end well or are cut
// off and its owner dies, also with the last commits lost. What then stands in the journal says whether every
// completion was told in exactly one turn of the lead that ended well, and whether every place came free.

const OUTCOMES = ["completed", "error", "max_turns"] as const;
const RUN = "run_agents";
const MOST_CUT_OFFS = 3;
const MOST_CRASHES = 2;

type Step =
  | { readonly kind: "task"; readonly background: boolean }
  | { readonly kind: "end"; readonly of: number; readonly outcome: (typeof OUTCOMES)[number] }
  | { readonly kind: "lead-ends"; readonly isCutOff: boolean }
  | { readonly kind: "crash"; readonly lostCommits: number };

/** What happens, in order. */
export const taskCases: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("task" as const),
        background: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("end" as const),
        of: fc.nat({ max: 5 }),
        outcome: fc.constantFrom(...OUTCOMES),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("lead-ends" as const), isCutOff: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("crash" as const),
        lostCommits: fc.nat({ max: 4 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 16 },
);

/** Leads a run through a case and reads in its journal what came of it. */
export async function checkTasks(steps: readonly Step[]): Promise<void> {
  const play = new Play();
  try {
    await settle();
    for (const step of steps) {
      await play.take(step);
      await settle();
    }
    await play.finish();
  } finally {
    await play.stage.stop();
  }
}

/** Places are enough, and no client cuts a task short. */
const OPTIONS = { backend: { toolCallTimeoutMs: Infinity } };

class Play {
  readonly clock = createManualClock();
  stage = new LedStage(createCuttableStore(), this.clock, OPTIONS);
  #count = 0;
  #cutOffs = 0;
  #crashes = 0;

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "task":
        return this.#task(step.background);
      case "end":
        return this.#end(step.of, step.outcome);
      case "lead-ends":
        return this.#endLead(step.isCutOff);
      case "crash":
        return this.#crash(step.lostCommits);
    }
  }

  /** All that runs comes to its end. */
  async finish(): Promise<void> {
    await this.#wakeLead();
    for (let round = 0; round < 40 && this.stage.turns.size > 0; round += 1) {
      for (const turn of this.stage.turns.values())
        turn.end({ type: "stop", reason: "end_turn", text: "ok" });
      await settle();
    }
    deepStrictEqual([...this.stage.turns.keys()], [], "everybody comes to rest");
    const { state } = this.stage.run.owned;
    const live = [...state.agents.values()].filter(({ status }) => status !== "exited");
    deepStrictEqual(
      live.map(({ id }) => id),
      ["lead"],
      "every place is free",
    );
    deepStrictEqual([...(state.mailboxes.get("lead")?.items.keys() ?? [])], [], "all are told");
    this.#compareDeliveries([...this.stage.store.open(RUN, "read").read()]);
  }

  #compareDeliveries(events: readonly JournalEvent[]): void {
    const ended = events.flatMap((event) =>
      (event.type === "turn-completed" || event.type === "turn-failed") && event.agent !== "lead"
        ? [event.agent]
        : [],
    );
    const notices = events.flatMap((event) =>
      event.type === "message-posted" && event.from === "system" && event.to?.includes("lead")
        ? [event.id]
        : [],
    );
    deepStrictEqual(notices.length, ended.length, "one message for each completion");
    deepStrictEqual(new Set(ended).size, ended.length, "each subagent takes one turn");
    for (const notice of notices)
      deepStrictEqual(tellingTurns(events, notice), 1, `${notice} is told once`);
  }

  async #task(background: boolean): Promise<void> {
    const lead = this.stage.turns.get("lead");
    if (lead === undefined) return;
    const input = { description: "a task", prompt: this.#next(), run_in_background: background };
    const answer = callerOf(lead.request)("Task", input);
    if (!background) {
      // It answers when the subagent has ended, if its turn lasts so long.
      answer.catch(() => {});
      return;
    }
    const { error, agent_id: id } = await answer;
    deepStrictEqual(error, undefined);
    ok(id !== undefined);
  }

  #end(index: number, outcome: (typeof OUTCOMES)[number]): void {
    const turns = [...this.stage.turns].filter(([id]) => id !== "lead");
    const [, turn] = turns[index % Math.max(1, turns.length)] ?? [];
    const text = this.#next();
    if (outcome === "error") turn?.end({ type: "error", error: toErrorReport(new Error(text)) });
    else turn?.end({ type: "stop", reason: outcome === "completed" ? "end_turn" : outcome, text });
  }

  async #endLead(isCutOff: boolean): Promise<void> {
    const isCut = isCutOff && this.#cutOffs < MOST_CUT_OFFS;
    if (isCut) this.#cutOffs += 1;
    const reason = isCut ? "max_turns" : "end_turn";
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

  /** The owner dies, and the last that it wrote may never have reached the disk. */
  async #crash(lostCommits: number): Promise<void> {
    if (this.#crashes === MOST_CRASHES) return;
    this.#crashes += 1;
    const before = this.stage;
    const commits = before.store.commits(RUN);
    const seq = commits[Math.max(0, commits.length - 1 - lostCommits)] ?? 0;
    const store = await before.store.cutAfter(RUN, seq);
    await before.stop();
    this.stage = new LedStage(store, this.clock, OPTIONS);
    await settle();
    await this.#wakeLead();
  }

  #next(): string {
    this.#count += 1;
    return `text ${this.#count}`;
  }
}

/** In how many turns of the lead that ended well it stood before it. */
function tellingTurns(events: readonly JournalEvent[], notice: string): number {
  const good = new Set<number>();
  const begun = new Map<number, number>();
  for (const event of events) {
    if (!("agent" in event) || event.agent !== "lead") continue;
    if (event.type === "turn-started") begun.set(event.turn, event.seq);
    if (event.type === "turn-completed" && event.stopReason === "end_turn") good.add(event.turn);
  }
  const turns = events.flatMap((event) =>
    event.type === "message-delivered" &&
    event.agent === "lead" &&
    event.ids.includes(notice) &&
    // What an attempt was told that was cut off with its owner, nobody knows.
    event.seq > (begun.get(event.turn) ?? 0)
      ? [event.turn]
      : [],
  );
  return new Set(turns.filter((turn) => good.has(turn))).size;
}
