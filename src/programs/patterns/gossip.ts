import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { agreedState, drawPeers, newsFor } from "../primitives/gossip-rounds.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import { answeringOnly, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import { gossiperConvention } from "./conventions/gossip-convention.ts";

const DEFAULT_FANOUT = 2;
const DEFAULT_MAX_ROUNDS = 10;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What all gossip about. Default: the task."),
  fanout: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`How many others each hears in a round. Default: ${DEFAULT_FANOUT}.`),
  roundInterval: z
    .string()
    .refine(isDuration, "it is no duration, such as 30s or 2m")
    .optional()
    .describe("Wait between two rounds. Default: 0s."),
  maxRounds: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Rounds at most. Default: ${DEFAULT_MAX_ROUNDS}.`),
});

const pattern: TalkPattern = {
  // States go by lot, and nobody hears of another one before.
  members: answeringOnly,
  role: roleOf,
  metadata,
  talk: gossip,
};

/** Peers hear each other's states by lot and merge them, until all have the same. */
export const gossipPattern = definePattern({
  name: "gossip",
  summary: "Peers merge what they know by lot, until all know the same",
  block,
  goalKey: "goal",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata,
  check: ({ steps }): readonly PatternFault[] =>
    steps.length === 0 ? [] : [{ problem: "a gossip has no steps", hint: "remove steps" }],
  turns: (definition) => {
    const peers = crewOf(definition.agents).length;
    const { maxRounds } = planOf(definition);
    const basis = `${count(peers, "peer")} x (1 to ${count(maxRounds, "round")} + 1)`;
    return { least: peers, most: peers * (maxRounds + 1), basis };
  },
  links: ({ agents }) =>
    crewOf(agents).map(({ id: from }) => ({ from, to: "round", kind: "signal" })),
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function gossip(talk: Talk): Promise<TalkEnd> {
  const { maxRounds, fanout, roundIntervalMs } = planOf(talk.definition);
  const states = new Map<string, string>();
  const now = "Say what you know: answer with a line `GOSSIP: <your state>`.";
  const ids = talk.members.map(({ id }) => id);
  keep(states, await talk.turns(ids.map((agent) => callOf(talk, agent, now))));
  for (let round = 1; ; round += 1) {
    const peers = ids.filter((id) => talk.isIn(id) && states.has(id));
    const state = agreedState(peers, states);
    if (peers.length === 0 || state !== undefined) return close(talk, states, { state, round });
    if (round > maxRounds || talk.broken !== undefined)
      return close(talk, states, { state, round });
    if (round > 1 && roundIntervalMs > 0) await talk.context.sleep(roundIntervalMs);
    const heard = drawPeers(peers, fanout, () => talk.context.random());
    const calls = peers.flatMap((agent) => {
      const news = newsFor(agent, heard.get(agent) ?? [], states);
      return news.length === 0 ? [] : [mergeCall(talk, { agent, news, states, round })];
    });
    const said = await talk.turns(calls);
    keep(states, said);
    const spoke = [...said.keys()];
    talk.advance("round", { round, of: maxRounds, spoke, news: calls.length });
    talk.advance("gossip", { round, distinct: new Set(states.values()).size });
  }
}

function keep(states: Map<string, string>, said: ReadonlyMap<string, Said>): void {
  for (const [agent, turn] of said)
    if (turn.status === "said") states.set(agent, turn.output.trim());
}

interface Merging {
  readonly agent: string;
  /** Whose states it is told. */
  readonly news: readonly string[];
  readonly states: ReadonlyMap<string, string>;
  readonly round: number;
}

function mergeCall(talk: Talk, { agent, news, states, round }: Merging): TurnCall {
  const now = `Round ${round}. Your state is still what you said last. Make one state of it and of those above, and answer with a line \`GOSSIP: <your new state>\`.`;
  const blocks = news.map((id) => ({ label: `state of ${id}`, text: states.get(id) ?? "" }));
  return { ...callOf(talk, agent, now), blocks };
}

function callOf({ definition }: Talk, agent: string, now: string): TurnCall {
  return {
    agent,
    role: roleOf(definition),
    now,
    announce: "none",
    demand: { kinds: ["gossip"], form: "GOSSIP: <your state>", plain: plainSignal("gossip") },
  };
}

interface Closing {
  readonly state: string | undefined;
  /** The one that does not begin any more, from 1. */
  readonly round: number;
}

function close(
  talk: Talk,
  states: ReadonlyMap<string, string>,
  { state, round }: Closing,
): TalkEnd {
  const rounds = round - 1;
  const present = talk.members.flatMap(({ id }) => (talk.isIn(id) && states.has(id) ? [id] : []));
  talk.advance("gossiped", { rounds, agreed: state !== undefined, peers: present });
  const [error] = [...talk.left.values()].reverse();
  if (present.length === 0 && error !== undefined)
    return { outcome: "failed", reason: `no peer is left: ${error.message}`, error };
  const after = `after ${count(rounds, "round")}`;
  if (state !== undefined)
    return { outcome: "completed", reason: `all have the same state ${after}`, output: state };
  const output = present.map((id) => `## ${id}\n\n${states.get(id) ?? ""}`).join("\n\n");
  const reason = talk.broken ?? `${count(present.length, "peer")} do not agree ${after}`;
  return { outcome: "limit-reached", reason, output };
}

function planOf({ options }: PatternDefinition) {
  const { fanout = DEFAULT_FANOUT, maxRounds = DEFAULT_MAX_ROUNDS, ...rest } = block.parse(options);
  return { fanout, maxRounds, roundIntervalMs: parseDuration(rest.roundInterval ?? "0s") };
}

function roleOf(definition: PatternDefinition): Role {
  const size = crewOf(definition.agents).length;
  const { fanout, maxRounds } = planOf(definition);
  const params = { size, maxRounds, fanout: Math.min(fanout, Math.max(1, size - 1)) };
  return {
    marker: "GOSSIP",
    convention: (facts) => renderConvention(gossiperConvention, { ...facts, ...params }),
  };
}

const note = z.object({ rounds: z.number(), agreed: z.boolean(), peers: z.array(z.string()) });

function metadata(
  _definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const [end] = advances.flatMap(({ kind, data }) =>
    kind === "gossiped" ? [note.parse(data)] : [],
  );
  const rounds = advances.filter(({ kind }) => kind === "round").length;
  return { rounds: end?.rounds ?? rounds, agreed: end?.agreed ?? false, peers: end?.peers ?? [] };
}
