import type { CarriedAdjustment } from "../contracts/reflection.ts";
import type { TrajectoryRecord } from "../contracts/trajectory.ts";
import { count } from "../foundation/count.ts";
import { formatDuration } from "../foundation/duration.ts";
import { isJsonArray, isRecord, type Json } from "../foundation/json.ts";

/** A move of a pattern as it was noted. */
interface Advance {
  readonly kind: string;
  readonly data: Json;
}

type Fields = { readonly [key: string]: unknown };

/** What each kind of move says; another kind shows its data (PAT-events). */
const SENTENCES: { readonly [kind: string]: (data: Fields) => string } = {
  electorate: ({ electorate }) => `who votes: ${names(electorate)}`,
  round: ({ round, of, spoke, news }) =>
    `round ${text(round)}${of === undefined || of === null ? "" : ` of ${text(of)}`}: ${names(spoke) || "nobody"} spoke, ${count(Number(news ?? 0), "new message")}`,
  vote: ({ agent, vote, reason, changed, counted }) =>
    `${text(agent)} ${changed === true ? "now votes" : "votes"} ${text(vote)}${counted === false ? ", too late to count" : ""}${because(reason)}`,
  decision: ({ decision, approve, reject, cast, quorum }) =>
    `${text(decision)}: ${text(approve)} to ${text(reject)}, ${count(Number(cast ?? 0), "vote")}, ${text(quorum)} needed`,
  handoff: ({ from, to, reason, by, left }) =>
    `${text(from)} hands over to ${text(to)} by ${text(by)}, ${text(left)} left${because(reason)}`,
  takeover: ({ from, to, reason }) =>
    `${text(to)} takes the place of ${text(from)}${because(reason)}`,
  tier: ({ tier, agent, confidence, accepted }) =>
    `tier ${text(tier)}, ${text(agent)}: confidence ${text(confidence)}, ${accepted === true ? "accepted" : "not accepted"}`,
  candidate: ({ agent, done, passed, why }) =>
    `${text(agent)} ${passed === true ? "can win" : `is out${done === true ? because(why) : ": it has failed"}`}`,
  breaker: ({ agent, status, failures }) =>
    status === "open"
      ? `the breaker of ${text(agent)} opens after ${count(Number(failures ?? 0), "failure")}`
      : `the breaker of ${text(agent)} is ${text(status)}`,
  undoing: ({ undoing, reason }) => `undoing ${names(undoing)}${because(reason)}`,
  undone: ({ step, undone, problem }) =>
    `${text(step)} is ${undone === true ? "undone" : `not undone${because(problem)}`}`,
  prune: ({ branch, score }) => `${text(branch)} is cut off, fitness ${text(score)}`,
  mapped: ({ item, place, of, agent, done }) =>
    `item ${text(place)} of ${text(of)}, ${text(item)}: ${done === true ? `looked at by ${text(agent)}` : `${text(agent)} has failed`}`,
  verdict: ({ winner, judge, verdict }) =>
    text(judge) === ""
      ? `${text(winner)} wins: ${text(verdict)}`
      : `verdict of ${text(judge)}: ${text(winner) || text(verdict)}`,
  convergence: ({ position, positions }) =>
    text(position) === ""
      ? `they stand by ${names(positions)}`
      : `all that still stand say ${text(position)}`,
  bid: ({ round, agent, confidence, cost, time, approach }) =>
    `round ${text(round)}: ${text(agent)} bids ${offers({ confidence, cost, time })}${because(approach)}`,
  award: ({ winner, price, by, bids }) =>
    text(winner) === ""
      ? `nobody gets the task of ${count(Number(bids ?? 0), "bid")}`
      : `${text(winner)} gets the task at a ${text(by)} of ${text(price)}, of ${count(Number(bids ?? 0), "bid")}`,
  answer: ({ agent, confidence }) =>
    `the answer of ${text(agent)} stands, confidence ${text(confidence)}`,
  entry: ({ agent, left }) => `${text(agent)} has the task, ${text(left)} hand-overs left`,
  finished: ({ agent }) => `${text(agent)} has finished the task`,
  gossiped: ({ rounds, agreed, peers }) =>
    `${names(peers) || "nobody"} ${agreed === true ? "agree" : "do not agree"} after ${count(Number(rounds ?? 0), "round")}`,
  layer: ({ layer, of, answered }) =>
    `layer ${text(layer)} of ${text(of)}: ${names(answered) || "nobody"} answered`,
  tried: ({ rank, agent }) => `${text(agent)} tries, number ${text(rank)}`,
  fitness: ({ generation, agent, fitness }) =>
    `generation ${text(generation)}: ${text(agent)} has a fitness of ${text(fitness)}`,
  generation: ({ generation, best, fitness, population }) =>
    text(best) === ""
      ? `generation ${text(generation)}: nobody has answered`
      : `generation ${text(generation)}: ${text(best)} is the best of ${names(population).split(", ").length}, fitness ${text(fitness)}`,
  ended: ({ ended }) => `the rounds are over: ${text(ended)}`,
  "team-started": ({ team, list }) => `team ${text(team)}, tasks in ${text(list)}`,
  "task-changed": ({ task, title, status, owner, by }) =>
    `task #${text(task)} ${text(status)}${text(owner) === "" ? "" : `, ${text(owner)}`}${text(by) === "user" ? ", by the user" : ""}: ${text(title)}`,
  "team-ended": ({ team, completed, total, failed, forced }) =>
    `team ${text(team)} ended${forced === true ? " by force" : ""}: ${text(completed)} of ${count(Number(total ?? 0), "task")} completed, ${text(failed)} failed`,
  barrier: ({ barrier }) => `barrier ${text(barrier)} is open`,
  "iteration-started": ({ iteration }) => `iteration ${text(iteration)} begins`,
  "iteration-completed": ({ iteration, success, changedFiles, moreFiles, commitId, summary }) =>
    [
      `iteration ${text(iteration)} ${success === true ? "done" : "failed"}`,
      count((isJsonList(changedFiles) ? changedFiles.length : 0) + Number(moreFiles ?? 0), "file"),
      ...(text(commitId) === "" ? [] : [`commit ${text(commitId).slice(0, 7)}`]),
    ].join(", ") + because(summary),
  iteration: ({ done, of, elapsedMs, tokens }) =>
    [
      of === null ? count(Number(done), "iteration") : `${text(done)} of ${text(of)} iterations`,
      ...(typeof elapsedMs === "number" ? [formatDuration(elapsedMs)] : []),
      ...(tokens === null ? [] : [count(Number(tokens), "token")]),
    ].join(", "),
  "until-failed": ({ command, headline }) => `${text(command)}: ${text(headline)}`,
  "series-over": ({ reason }) =>
    `the series is over: ${SERIES_ENDS.get(text(reason)) ?? text(reason)}`,
};

const SERIES_ENDS: ReadonlyMap<string, string> = new Map([
  ["count", "all of its iterations are done"],
  ["cap", "it has had as many iterations as it may"],
  ["duration", "its time has run out"],
  ["until", "what it works towards is reached"],
  ["failing", "too many iterations have failed in a row"],
]);

/** Without this key the data of a move is of another version; that of the kind's own name unless it stands here. */
const TELLING_KEYS: { readonly [kind: string]: string } = {
  handoff: "from",
  takeover: "from",
  convergence: "positions",
  bid: "approach",
  gossiped: "agreed",
  generation: "population",
  tried: "agent",
  candidate: "passed",
  prune: "branch",
  mapped: "agent",
  breaker: "status",
  award: "winner",
  answer: "agent",
  entry: "agent",
  finished: "agent",
  "team-started": "team",
  "task-changed": "task",
  "team-ended": "completed",
  "iteration-started": "iteration",
  "iteration-completed": "success",
  iteration: "elapsedMs",
  "until-failed": "headline",
  "series-over": "reason",
};

/** Moves that are told otherwise: by steps and messages of the agents. */
export const TOLD_OTHERWISE: ReadonlySet<string> = new Set(["member", "argument", "asked"]);

/** A move of a pattern in one sentence. Not trusted: agents wrote some of it. */
export function describeAdvance({ kind, data }: Advance): string {
  const sentence = Object.hasOwn(SENTENCES, kind) ? SENTENCES[kind] : undefined;
  const isWhole = isRecord(data) && Object.hasOwn(data, TELLING_KEYS[kind] ?? kind);
  if (sentence !== undefined && isWhole) return sentence(data);
  return data === null ? kind : `${kind} ${JSON.stringify(data)}`;
}

function text(value: unknown): string {
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  return typeof value === "string" ? value : "";
}

function offers(offered: Fields): string {
  const told = Object.entries(offered).filter(([, value]) => text(value) !== "");
  return told.map(([name, value]) => `${name} ${text(value)}`).join(", ") || "nothing that counts";
}

function names(value: unknown): string {
  return isJsonList(value) ? value.map(text).join(", ") : "";
}

function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value) && isJsonArray(value);
}

function because(reason: unknown): string {
  const said = text(reason).replace(/\s+/g, " ").trim();
  return said === "" ? "" : `: ${said}`;
}

/** What a reflection has changed, or why it could not, in one line. */
export function describeAdjustment(adjustment: CarriedAdjustment): string {
  const { agent, action, content, result, reason } = adjustment;
  const what = `${action} ${agent}${content === undefined ? "" : `: ${content}`}`;
  return result === "done" ? what : `refused, ${reason ?? "nobody knows why"}: ${what}`;
}

/** What somebody adds to a trajectory, as a sentence. */
export function describeRecord(record: TrajectoryRecord): string {
  if (record.kind !== "decision") return `${record.kind}: ${record.text}`;
  const { chosen, question, reasoning } = record;
  const what = question === undefined ? chosen : `${question}: ${chosen}`;
  return `decision: ${what}${because(reasoning)}`;
}
