import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { definePattern, type PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { Subscription } from "../../contracts/selector.ts";
import { count } from "../../foundation/count.ts";
import { readSignals } from "../../signals/read-signals.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import { givenTurns, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import { peerConvention } from "./conventions/mesh-convention.ts";

const DEFAULT_MAX_ROUNDS = 10;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What all work toward. Default: the task."),
  maxRounds: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Rounds at most; then all are asked for DONE. Default: ${DEFAULT_MAX_ROUNDS}.`),
});

/** Why the rounds are over. */
type Ended = "done" | "rounds" | "stalled" | "bounds";

const pattern: TalkPattern = {
  members: ({ agents }) => givenTurns(agents, () => ({ signals: [] })),
  role: roleOf,
  metadata,
  talk: meet,
};

/** Peers take turns in rounds, all at once, until each has said DONE and nobody has named it since. */
export const meshPattern = definePattern({
  name: "mesh",
  summary: "Peers work toward one goal in rounds and hear each other",
  block,
  goalKey: "goal",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata,
  turns: (definition) => {
    const peers = crewOf(definition.agents).length;
    const maxRounds = maxRoundsOf(definition);
    const basis = `${count(peers, "peer")} x (1 to ${count(maxRounds, "round")} + 1 that asks for DONE)`;
    return { least: peers, most: peers * (maxRounds + 1), basis };
  },
  links: ({ agents }) =>
    crewOf(agents).map(({ id: from }) => ({ from, to: "round", kind: "signal" })),
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function meet(talk: Talk): Promise<TalkEnd> {
  const maxRounds = maxRoundsOf(talk.definition);
  const peers = new Peers(talk.context);
  let isQuiet = false;
  for (let round = 1; ; round += 1) {
    const calls = talk.members
      .filter(({ id }) => talk.isIn(id) && !peers.isSettled(id))
      .map(({ id }) => callOf(talk, id, roundText({ round, maxRounds, isQuiet, peers, id })));
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
async function askForDone(
  talk: Talk,
  peers: Peers,
  ended: Exclude<Ended, "done">,
): Promise<TalkEnd> {
  const why = talk.broken ?? ASK_WORDS[ended];
  talk.unbind();
  const now = `This is your last turn: ${why}. If your part of the goal is done, answer with a line \`DONE: <what you contributed>\`; otherwise say what is missing.`;
  const open = inOf(talk).filter((id) => !peers.isSettled(id));
  peers.hear(await talk.turns(open.map((id) => callOf(talk, id, now))));
  return close(talk, peers, ended);
}

function close(talk: Talk, peers: Peers, ended: Ended): TalkEnd {
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
} as const satisfies Record<Exclude<Ended, "bounds">, string>;

const ASK_WORDS = {
  rounds: "all rounds are used",
  stalled: "two rounds have brought nothing new",
  bounds: "a bound is reached",
} as const satisfies Record<Exclude<Ended, "done">, string>;

const KINDS = ["message", "document", "file", "turn-started"] as const;
const NO_NEWS: ReadonlySet<string> = new Set(["ack", "progress", "done"]);

/** What the peers have said of the goal, and who was named since. */
class Peers {
  /** What those contributed that have said DONE with their last turn. */
  readonly done = new Map<string, string>();
  /** Whom somebody has named or written to since its last turn started. */
  readonly #named = new Set<string>();
  readonly #context: Context;
  readonly #facts: Subscription;

  constructor(context: Context) {
    this.#context = context;
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
      if (isNews(event)) news += 1;
    }
  }
}

function isNews(event: JournalEvent): boolean {
  if (event.type === "turn-started") return false;
  if (event.type !== "message-posted") return true;
  if (event.from === "system") return false;
  const { signals, rest } = readSignals(event.text);
  return rest !== "" || signals.length === 0 || signals.some(({ kind }) => !NO_NEWS.has(kind));
}

function callOf(talk: Talk, agent: string, now: string): TurnCall {
  return {
    agent,
    role: roleOf(talk.definition),
    now,
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

function roleOf(definition: PatternDefinition): Role {
  const size = crewOf(definition.agents).length;
  const maxRounds = maxRoundsOf(definition);
  return {
    marker: "DONE",
    convention: (facts) => renderConvention(peerConvention, { ...facts, size, maxRounds }),
  };
}

function maxRoundsOf({ options }: PatternDefinition): number {
  return block.parse(options).maxRounds ?? DEFAULT_MAX_ROUNDS;
}

const note = z.object({
  round: z.int().optional(),
  settled: z.array(z.string()).default([]),
  ended: z.string().optional(),
});

function metadata(
  _definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const notes = advances
    .filter(({ kind }) => kind === "round" || kind === "ended")
    .map(({ data }) => note.parse(data));
  return {
    rounds: Math.max(0, ...notes.map(({ round = 0 }) => round)),
    settled: notes.at(-1)?.settled ?? [],
    ended: notes.at(-1)?.ended ?? null,
  };
}
