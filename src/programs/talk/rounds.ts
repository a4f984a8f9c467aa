import { z } from "zod";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Pattern, PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { Subscription } from "../../contracts/selector.ts";
import { count } from "../../foundation/count.ts";
import { readSignals } from "../../signals/read-signals.ts";
import type { ConventionTemplate } from "../patterns/conventions/convention.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";
import type { PeerParams } from "../patterns/conventions/mesh-convention.ts";
import { Board } from "./board.ts";
import { plainSignal } from "./plain-answer.ts";
import type { Said, Talk } from "./talk.ts";
import type { Role, TurnCall } from "./talk-turn.ts";

// Peers that take turns in rounds, all at once.

/** What differs between patterns of rounds. */
export interface RoundKind extends Pick<Pattern, "name" | "summary"> {
  readonly convention: ConventionTemplate<PeerParams>;
  /** Whether something that happened keeps the rounds going. */
  readonly isNews: (event: JournalEvent) => boolean;
  /** What each turn is shown beside what was said. */
  readonly blocks: (board: Board) => readonly DataBlock[];
}

/** Rounds as they are to be carried out. */
export interface RoundPlan extends Pick<RoundKind, "isNews" | "blocks"> {
  readonly maxRounds: number;
  readonly role: Role;
}

type Ended = Omit<ProgramResult, "metadata">;

/** Why the rounds are over. */
type Why = "done" | "rounds" | "stalled" | "bounds";

/** Lets peers take turns in rounds, all at once, until each is done, nothing is new any more, or a bound is reached. */
export async function meet(talk: Talk, plan: RoundPlan): Promise<Ended> {
  const { maxRounds } = plan;
  const peers = new Peers(talk.context, plan);
  let isQuiet = false;
  for (let round = 1; ; round += 1) {
    const calls = talk.members
      .filter(({ id }) => talk.isIn(id) && !peers.isSettled(id))
      .map(({ id }) =>
        callOf({ id, peers, now: roundText({ round, maxRounds, isQuiet, peers, id }) }),
      );
    const said = await talk.turns(calls);
    peers.hear(said);
    const news = await peers.listen();
    await talk.listen();
    const settled = settledOf(talk, peers);
    talk.advance("round", { round, of: maxRounds, spoke: [...said.keys()], news, settled });
    const isStalled = isQuiet && news === 0;
    isQuiet = news === 0;
    if (settled.length === inOf(talk).length) return close(talk, peers, "done");
    if (talk.broken !== undefined) return askForDone(talk, peers, "bounds");
    if (isStalled) return askForDone(talk, peers, "stalled");
    if (round === maxRounds) return askForDone(talk, peers, "rounds");
  }
}

/** One more turn for all who have not said DONE: with it the run is completed (PAT-ends). */
async function askForDone(talk: Talk, peers: Peers, ended: Exclude<Why, "done">): Promise<Ended> {
  const why = talk.broken ?? ASK_WORDS[ended];
  talk.unbind();
  const now = `This is your last turn: ${why}. If your part of the goal is done, answer with a line \`DONE: <what you contributed>\`; otherwise say what is missing.`;
  const open = inOf(talk).filter((id) => !peers.isSettled(id));
  peers.hear(await talk.turns(open.map((id) => callOf({ id, peers, now }))));
  return close(talk, peers, ended);
}

function close(talk: Talk, peers: Peers, ended: Why): Ended {
  const present = inOf(talk);
  const done = present.filter((id) => peers.done.has(id));
  talk.advance("ended", { ended, settled: done });
  const [error] = [...talk.left.values()].reverse();
  if (present.length === 0 && error !== undefined)
    return { outcome: "failed", reason: `no peer is left: ${error.message}`, error };
  const output = done.map((id) => `## ${id}\n\n${peers.done.get(id) ?? ""}`).join("\n\n");
  const how = ended === "bounds" ? `: ${talk.broken}` : END_WORDS[ended];
  const reason = `${done.length} of ${count(present.length, "peer")} done${how}`;
  return {
    outcome: done.length === present.length ? "completed" : "limit-reached",
    reason,
    output,
  };
}

const END_WORDS = {
  done: "",
  rounds: " when all rounds were used",
  stalled: " when two rounds had brought nothing new",
} as const satisfies Record<Exclude<Why, "bounds">, string>;

const ASK_WORDS = {
  rounds: "all rounds are used",
  stalled: "two rounds have brought nothing new",
  bounds: "a bound is reached",
} as const satisfies Record<Exclude<Why, "done">, string>;

const KINDS = ["message", "document", "file", "turn-started"] as const;
const NO_NEWS: ReadonlySet<string> = new Set(["ack", "progress", "done"]);

/** What the peers have said of the goal, and who was named since. */
class Peers {
  /** What those contributed that have said DONE with their last turn. */
  readonly done = new Map<string, string>();
  /** The document that they share. */
  readonly board = new Board();
  /** Whom somebody has named or written to since its last turn started. */
  readonly #named = new Set<string>();
  readonly #context: Context;
  readonly #facts: Subscription;
  readonly plan: RoundPlan;

  constructor(context: Context, plan: RoundPlan) {
    this.#context = context;
    this.plan = plan;
    this.#facts = context.subscribe({ kinds: [...KINDS] });
  }

  isSettled(id: string): boolean {
    return this.done.has(id) && !this.#named.has(id);
  }

  hear(said: ReadonlyMap<string, Said>): void {
    for (const [id, turn] of said) {
      const isDone = turn.status === "said" && turn.signals.some(({ kind }) => kind === "done");
      if (isDone) this.done.set(id, turn.output);
      else this.done.delete(id);
    }
  }

  /** Takes in what has happened until now; how much of it is news to the others. */
  async listen(): Promise<number> {
    let news = 0;
    for (;;) {
      const event = await this.#context.next(this.#facts, { timeoutMs: 0 });
      if (event === undefined) return news;
      if (event.type === "turn-started") this.#named.delete(event.agent);
      if (event.type === "message-posted")
        for (const id of event.to ?? event.mentions) this.#named.add(id);
      if (this.plan.isNews(event)) news += 1;
      this.board.take(event);
    }
  }
}

/** Whether something that happened is news to peers that talk, write and change files. */
export function isNews(event: JournalEvent): boolean {
  if (event.type === "turn-started") return false;
  if (event.type !== "message-posted") return true;
  if (event.from === "system") return false;
  const { signals, rest } = readSignals(event.text);
  return rest !== "" || signals.length === 0 || signals.some(({ kind }) => !NO_NEWS.has(kind));
}

interface PeerTurn {
  readonly id: string;
  readonly peers: Peers;
  readonly now: string;
}

function callOf({ id: agent, peers, now }: PeerTurn): TurnCall {
  return {
    agent,
    role: peers.plan.role,
    now,
    blocks: peers.plan.blocks(peers.board),
    announce: "text",
    demand: {
      kinds: ["done"],
      form: "DONE: <what you contributed>",
      plain: plainSignal("done"),
      isEnough: async () => true,
    },
  };
}

function roundText({ round, maxRounds, isQuiet, peers, id }: RoundPlace): string {
  return [
    `Round ${round} of ${maxRounds}.`,
    ...(isQuiet
      ? ["The last round brought nothing new: after another one like it the rounds are over."]
      : []),
    ...(peers.done.has(id)
      ? ["You were written to after your DONE, so it does not count any more."]
      : []),
    "Do your part and answer the others. When the goal is met, end with a line `DONE: <what you contributed>`.",
  ].join(" ");
}

interface RoundPlace {
  readonly round: number;
  readonly maxRounds: number;
  readonly isQuiet: boolean;
  readonly peers: Peers;
  readonly id: string;
}

function inOf(talk: Talk): readonly string[] {
  return talk.members.flatMap(({ id }) => (talk.isIn(id) ? [id] : []));
}

function settledOf(talk: Talk, peers: Peers): readonly string[] {
  return inOf(talk).filter((id) => peers.isSettled(id));
}

const note = z.object({
  round: z.int().optional(),
  settled: z.array(z.string()).default([]),
  ended: z.string().optional(),
});

/** How the rounds went, from what was noted so far. */
export function roundsReport(advances: readonly PatternAdvance[]): ProgramResult["metadata"] {
  const notes = advances
    .filter(({ kind }) => kind === "round" || kind === "ended")
    .map(({ data }) => note.parse(data));
  return {
    rounds: Math.max(0, ...notes.map(({ round = 0 }) => round)),
    settled: notes.at(-1)?.settled ?? [],
    ended: notes.at(-1)?.ended ?? null,
  };
}
