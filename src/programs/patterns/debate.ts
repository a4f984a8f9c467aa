import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { definePattern, type PatternAdvance } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import {
  convergence,
  convergenceOf,
  describeConvergence,
  isDebateOver,
  winnerOf,
} from "../primitives/debate-end.ts";
import {
  type Argument,
  argument,
  roundsOf,
  toArgument,
  toBlocks,
} from "../primitives/transcript.ts";
import { type DebatePlan, debateBlock, faultsOfDebate, planOf } from "../talk/debate-plan.ts";
import { plainSignal, plainVerdict } from "../talk/plain-answer.ts";
import { givenTurns, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import { noteTakeover, takeoverLine } from "../talk/takeover.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import { debaterConvention, judgeConvention } from "./conventions/debate-convention.ts";

const verdict = z.object({
  winner: z.string().nullable(),
  verdict: z.string(),
  reasoning: z.string(),
});

const pattern: TalkPattern = {
  members: (definition) => {
    const { debaters, judge, fallback } = planOf(definition);
    return givenTurns(definition.agents, ({ id }) => ({
      writesTo: ["user", "#"],
      signals: [
        ...(debaters.includes(id) ? ["argument", "concede"] : []),
        ...(id === judge || id === fallback ? ["verdict"] : []),
      ],
    }));
  },
  role: (definition, agent) => roleOf(planOf(definition), agent),
  metadata,
  talk: debate,
};

/** Agents defend positions in rounds until they converge or the rounds are over; a judge decides, if there is one. */
export const debatePattern = definePattern({
  name: "debate",
  summary: "Agents defend positions in rounds, and a judge may decide",
  block: debateBlock,
  goalKey: "topic",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata,
  check: faultsOfDebate,
  turns: (definition) => {
    const { debaters, judge, fallback, maxRounds } = planOf(definition);
    const last = judge === undefined ? 0 : 1;
    const reserve = fallback === undefined ? 0 : 1;
    const sides = count(debaters.length, "debater");
    const judges = `${last === 0 ? "" : " + 1 judge"}${reserve === 0 ? "" : " + 1 fallback if it fails"}`;
    const basis = `${sides} x 1 to ${count(maxRounds, "round")}${judges}`;
    const most = debaters.length * maxRounds + last + reserve;
    return { least: debaters.length + last, most, basis };
  },
  links: (definition) => {
    const { debaters, judge, fallback } = planOf(definition);
    const words = debaters.map((from) => ({ from, to: "round", kind: "signal" as const }));
    if (judge === undefined) return words;
    const verdicts = [...words, { from: "round", to: judge, kind: "signal" as const }];
    return fallback === undefined
      ? verdicts
      : [...verdicts, { from: judge, to: fallback, kind: "fallback" }];
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function debate(talk: Talk): Promise<TalkEnd> {
  const plan = planOf(talk.definition);
  const said: Argument[] = [];
  let standing = plan.debaters;
  for (let round = 1; round <= plan.maxRounds; round += 1) {
    const spoken = await argue(talk, plan, { round, standing, said });
    said.push(...spoken);
    const conceded = new Set(spoken.flatMap((one) => (one.conceded ? [one.agent] : [])));
    standing = standing.filter((agent) => talk.isIn(agent) && !conceded.has(agent));
    if (standing.length === 0 && conceded.size === 0) return nobodyLeft(talk);
    if (isDebateOver(plan, standing) || talk.broken !== undefined) break;
  }
  const end = convergenceOf(plan, standing);
  talk.advance("convergence", end);
  if (plan.judge !== undefined) return judged(talk, plan.judge, { plan, said });
  const output = describeConvergence(end);
  if (talk.broken !== undefined && !isDebateOver(plan, standing))
    return { outcome: "limit-reached", reason: talk.broken, output };
  return { outcome: "completed", reason: output, output };
}

interface Round {
  readonly round: number;
  readonly standing: readonly string[];
  /** Arguments of the rounds before. */
  readonly said: readonly Argument[];
}

/** All who are left argue at once; each is told what the others have said in the round before. */
async function argue(
  talk: Talk,
  plan: DebatePlan,
  { round, standing, said }: Round,
): Promise<readonly Argument[]> {
  const spoken: Argument[] = [];
  const before = said.filter((one) => one.round === round - 1);
  const calls = standing.map(
    (agent): TurnCall => ({
      agent,
      role: roleOf(plan, agent),
      now: nowIn(round, plan.maxRounds),
      blocks: toBlocks(before.filter((one) => one.agent !== agent)),
      hears: "posts",
      demand: {
        kinds: ["argument", "concede"],
        form: "ARGUMENT: <your argument>",
        plain: plainSignal("argument"),
      },
      announce: "text",
    }),
  );
  const onSaid = (agent: string, came: Said) => {
    if (came.status === "left") return false;
    const one = { round, agent, ...toArgument(came.signals) };
    spoken.push(one);
    talk.advance("argument", one);
    return false;
  };
  await talk.turns(calls, { onSaid });
  const news = await talk.listen();
  const spoke = spoken.map(({ agent }) => agent);
  talk.advance("round", { round, of: plan.maxRounds, spoke, news });
  return spoken;
}

function nowIn(round: number, rounds: number): string {
  const place = `Round ${round} of ${rounds}.`;
  const forms =
    "a line `ARGUMENT: <your argument>`, or `CONCEDE: <why>` if they have convinced you";
  if (round < rounds) return `${place} Argue: ${forms}.`;
  return `${place} It is the last one. Argue: ${forms}; after it a line \`DONE: <your final position>\`.`;
}

function nobodyLeft(talk: Talk): TalkEnd {
  const error = [...talk.left.values()].at(-1);
  return {
    outcome: "failed",
    reason: `no debater is left: ${error?.message ?? "all have failed"}`,
    ...present({ error }),
  };
}

interface Judging {
  readonly plan: DebatePlan;
  readonly said: readonly Argument[];
  /** What was said before to whoever judges now. */
  readonly before?: string;
}

/** The judge decides, with all that was said before it; its fallback, when it cannot. */
async function judged(
  talk: Talk,
  judge: string,
  { plan, said, before }: Judging,
): Promise<TalkEnd> {
  talk.unbind();
  const form =
    "Judge: a line `VERDICT: <the position that has won>`, and below it a line `DONE: <why>`.";
  const came = await talk.turn({
    agent: judge,
    role: roleOf(plan, judge),
    now: before === undefined ? form : `${before} ${form}`,
    blocks: toBlocks(said),
    hears: "posts",
    demand: { kinds: ["verdict"], form: "VERDICT: <position>", plain: plainVerdict },
    announce: "text",
  });
  if (came?.status !== "said") {
    const error = came?.error ?? talk.left.get(judge);
    const reason = error?.message ?? "it was cut off";
    const { fallback: to } = plan;
    if (to === undefined || to === judge || error === undefined)
      return {
        outcome: "failed",
        reason: `the judge gave no verdict: ${reason}`,
        ...present({ error }),
      };
    const takeover = { from: judge, to, reason };
    await noteTakeover(talk, takeover, []);
    return judged(talk, to, { plan, said, before: takeoverLine(takeover) });
  }
  const given = came.signals.find(({ kind }) => kind === "verdict");
  const done = came.signals.find(({ kind }) => kind === "done");
  // What stands below the line of the verdict says why.
  const { value: text = "", reason = came.text } = plainVerdict(given?.value ?? "") ?? {};
  const reasoning = done?.value ?? given?.reason ?? reason;
  const winner = winnerOf(plan, text);
  talk.advance("verdict", { winner, judge, verdict: text, reasoning });
  const output = reasoning === "" ? text : `${text}\n\n${reasoning}`;
  return { outcome: "completed", reason: `${judge} has decided for ${winner ?? text}`, output };
}

function metadata(
  definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const ofKind = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const spoken = ofKind("argument").map((data) => argument.parse(data));
  const [end] = ofKind("convergence").map((data) => convergence.parse(data));
  const [decided] = ofKind("verdict").map((data) => verdict.parse(data));
  const isJudged = planOf(definition).judge !== undefined;
  return {
    rounds: roundsOf(spoken),
    verdict: decided?.verdict ?? null,
    judgeReasoning: decided?.reasoning ?? null,
    // A judge that says nothing leaves it open, whatever position is left.
    winner: isJudged ? (decided?.winner ?? null) : (end?.position ?? null),
  };
}

function roleOf(plan: DebatePlan, agent: string): Role {
  const { debaters, judge, fallback, maxRounds, position } = plan;
  if (agent === judge || agent === fallback) {
    const positions = debaters.map((one) => position(one) ?? one);
    return {
      marker: "VERDICT",
      convention: (facts) => renderConvention(judgeConvention, { ...facts, positions }),
    };
  }
  const opponents = debaters
    .filter((one) => one !== agent)
    .map((one) => ({ agent: one, position: position(one) }));
  const stand = { position: position(agent), opponents, rounds: maxRounds, judge };
  return {
    marker: "ARGUMENT",
    convention: (facts) => renderConvention(debaterConvention, { ...facts, ...stand }),
  };
}
