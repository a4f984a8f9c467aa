import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFunctionName } from "../../contracts/pattern-functions.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { agreedState, drawPeers, newsFor } from "../primitives/gossip-rounds.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import {
  extractStates,
  type Hearing,
  haveConverged,
  mergeStates,
} from "../talk/gossip-functions.ts";
import type { Demand } from "../talk/hear-turn.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import { answeringOnly, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, SaidText, TurnCall } from "../talk/talk-turn.ts";
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
  functions: ["stateExtractor", "stateMerger", "convergenceTest"],
  members: pattern.members,
  metadata,
  check: ({ steps }): readonly PatternFault[] =>
    steps.length === 0 ? [] : [{ problem: "a gossip has no steps", hint: "remove steps" }],
  turns: (definition) => {
    const peers = crewOf(definition.agents).length;
    const { maxRounds } = planOf(definition);
    if (asks(definition, "stateMerger"))
      return { least: peers, most: peers, basis: count(peers, "peer") };
    const basis = `${count(peers, "peer")} x (1 to ${count(maxRounds, "round")} + 1)`;
    return { least: peers, most: peers * (maxRounds + 1), basis };
  },
  links: ({ agents }) =>
    crewOf(agents).map(({ id: from }) => ({ from, to: "round", kind: "signal" })),
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function gossip(talk: Talk): Promise<TalkEnd> {
  const plan = planOf(talk.definition);
  const { maxRounds, fanout, roundIntervalMs } = plan;
  const heard = { states: new Map<string, string>(), said: new Map<string, readonly string[]>() };
  const { states } = heard;
  const ids = talk.members.map(({ id }) => id);
  const first = await talk.turns(ids.map((agent) => callOf(talk, agent, plan.form.first)));
  await keep(talk, heard, first);
  for (let round = 1; ; round += 1) {
    const peers = ids.filter((id) => talk.isIn(id) && states.has(id));
    const state = agreedState(peers, states);
    const isAgreed = await hasEnded(talk, peers, states);
    const closing = { state, isAgreed, round };
    // Who all have the same state hear nothing new any more.
    if (isAgreed || state !== undefined || peers.length === 0 || round > maxRounds)
      return close(talk, states, closing);
    if (talk.broken !== undefined) return close(talk, states, closing);
    if (round > 1 && roundIntervalMs > 0) await talk.context.sleep(roundIntervalMs);
    const drawn = drawPeers(peers, fanout, () => talk.context.random());
    const hearings = peers.flatMap((agent) => {
      const news = newsFor(agent, drawn.get(agent) ?? [], states);
      return news.length === 0 ? [] : [{ agent, news }];
    });
    const spoke = await mergeAll(talk, heard, { hearings, round });
    talk.advance("round", { round, of: maxRounds, spoke, news: hearings.length });
    talk.advance("gossip", { round, distinct: new Set(states.values()).size });
  }
}

/** Whether it is over: all have the same state, or what a function says in place of that. */
async function hasEnded(
  { context, definition }: Talk,
  peers: readonly string[],
  states: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (peers.length === 0) return false;
  if (!asks(definition, "convergenceTest")) return agreedState(peers, states) !== undefined;
  return haveConverged(context, new Map(peers.map((peer) => [peer, states.get(peer) ?? ""])));
}

/** What is known of the peers. */
interface KnownPeers {
  readonly states: Map<string, string>;
  /** What each has said, the oldest first; only where a function reads it. */
  readonly said: Map<string, readonly string[]>;
}

async function keep(
  { context, definition }: Talk,
  { states, said }: KnownPeers,
  turns: ReadonlyMap<string, Said>,
): Promise<void> {
  const isExtracted = asks(definition, "stateExtractor");
  const fresh = new Map<string, readonly string[]>();
  for (const [agent, turn] of turns) {
    if (turn.status !== "said") continue;
    if (!isExtracted) states.set(agent, turn.output.trim());
    fresh.set(agent, [...(said.get(agent) ?? []), wholeText(turn)]);
  }
  if (!isExtracted || fresh.size === 0) return;
  for (const [agent, texts] of fresh) said.set(agent, texts);
  for (const [agent, state] of await extractStates(context, fresh)) states.set(agent, state);
}

/** The text of a turn, also where it is a signal alone. */
function wholeText({ text, output }: Pick<SaidText, "text" | "output">): string {
  return [...new Set([text, output])].filter((part) => part !== "").join("\n");
}

interface MergingRound {
  readonly hearings: readonly Hearing[];
  readonly round: number;
}

/** Those who hear something new make one state of it and their own, or a function does; who has taken a turn for it. */
async function mergeAll(
  talk: Talk,
  heard: KnownPeers,
  { hearings, round }: MergingRound,
): Promise<readonly string[]> {
  const { states } = heard;
  if (asks(talk.definition, "stateMerger")) {
    const merged = await mergeStates(talk.context, hearings, states);
    for (const [agent, state] of merged) states.set(agent, state);
    return [];
  }
  const calls = hearings.map(({ agent, news }) => mergeCall(talk, { agent, news, states, round }));
  const said = await talk.turns(calls);
  await keep(talk, heard, said);
  return [...said.keys()];
}

interface Merging extends Hearing {
  readonly states: ReadonlyMap<string, string>;
  readonly round: number;
}

function mergeCall(talk: Talk, { agent, news, states, round }: Merging): TurnCall {
  const { merge } = planOf(talk.definition).form;
  const now = `Round ${round}. Your state is still what you said last. Make one state of it and of those above, and ${merge}.`;
  const blocks = news.map((id) => ({ label: `state of ${id}`, text: states.get(id) ?? "" }));
  return { ...callOf(talk, agent, now), blocks };
}

function callOf({ definition }: Talk, agent: string, now: string): TurnCall {
  const demand: Demand = {
    kinds: ["gossip"],
    form: "GOSSIP: <your state>",
    plain: plainSignal("gossip"),
    ...(asks(definition, "stateExtractor") && { isEnough: async () => true }),
  };
  return { agent, role: roleOf(definition), now, announce: "none", demand };
}

/** Whether a function does this that was given in code. */
function asks({ functions }: PatternDefinition, name: PatternFunctionName): boolean {
  return functions?.includes(name) === true;
}

interface Closing {
  /** That of all, where they have the same. */
  readonly state: string | undefined;
  readonly isAgreed: boolean;
  /** The one that does not begin any more, from 1. */
  readonly round: number;
}

function close(
  talk: Talk,
  states: ReadonlyMap<string, string>,
  { state, isAgreed, round }: Closing,
): TalkEnd {
  const rounds = round - 1;
  const present = talk.members.flatMap(({ id }) => (talk.isIn(id) && states.has(id) ? [id] : []));
  talk.advance("gossiped", { rounds, agreed: isAgreed, peers: present });
  const [error] = [...talk.left.values()].reverse();
  if (present.length === 0 && error !== undefined)
    return { outcome: "failed", reason: `no peer is left: ${error.message}`, error };
  const after = `after ${count(rounds, "round")}`;
  const output = state ?? present.map((id) => `## ${id}\n\n${states.get(id) ?? ""}`).join("\n\n");
  if (isAgreed) {
    const what = state === undefined ? "the states have converged" : "all have the same state";
    return { outcome: "completed", reason: `${what} ${after}`, output };
  }
  const disagreement =
    state === undefined
      ? `${count(present.length, "peer")} do not agree ${after}`
      : `all have the same state ${after}, which convergenceTest does not take`;
  return { outcome: "limit-reached", reason: talk.broken ?? disagreement, output };
}

function planOf(definition: PatternDefinition) {
  const given = block.parse(definition.options);
  const { fanout = DEFAULT_FANOUT, maxRounds = DEFAULT_MAX_ROUNDS, roundInterval = "0s" } = given;
  const form = asks(definition, "stateExtractor") ? FREE : MARKED;
  return { fanout, maxRounds, roundIntervalMs: parseDuration(roundInterval), form };
}

/** What peers are asked for: their state by its marker, or anything that a function reads it out of. */
const MARKED = {
  first: "Say what you know: answer with a line `GOSSIP: <your state>`.",
  merge: "answer with a line `GOSSIP: <your new state>`",
};
const FREE = { first: "Say what you know.", merge: "say it" };

function roleOf(definition: PatternDefinition): Role {
  const size = crewOf(definition.agents).length;
  const { fanout, maxRounds } = planOf(definition);
  const isMerged = asks(definition, "stateMerger");
  const params = { size, maxRounds, isMerged, fanout: Math.min(fanout, Math.max(1, size - 1)) };
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
