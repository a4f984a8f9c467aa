import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { addUsage, isCostUnknown, type Usage } from "../../contracts/usage.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfBounds, faultsOfNames, memberNamed } from "../talk/find-members.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import { answeringOnly, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { tierConvention } from "./conventions/cascade-convention.ts";
import { renderConvention } from "./conventions/convention.ts";
import type { DataBlock } from "./conventions/marked-text.ts";

const DEFAULT_THRESHOLD = 0.7;
/** Most that a tier is told of each answer before it. */
const MAX_ANSWER_CHARS = 65_536;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is asked. Default: the task."),
  tiers: z
    .array(
      z.strictObject({
        agent: z.string().min(1),
        confidenceThreshold: z
          .number()
          .min(0)
          .max(1)
          .optional()
          .describe("Confidence from which on its answer stands. Default: 0.7."),
        costWeight: z
          .number()
          .min(0)
          .optional()
          .describe("What it costs beside the others. Default: 1."),
      }),
    )
    .min(1)
    .optional()
    .describe("Who is asked, the cheapest first. Default: all agents in their order."),
  maxEscalations: z
    .int()
    .min(0)
    .optional()
    .describe("How often the next tier may be asked. Default: until all have been."),
});

interface Tier {
  readonly agent: string;
  readonly threshold: number;
  readonly costWeight: number;
}

/** What a tier has answered. */
interface Answer {
  readonly agent: string;
  readonly text: string;
  readonly confidence: number;
}

const pattern: TalkPattern = {
  members: (definition) => {
    const members = answeringOnly(definition);
    // A turn that was cut off begins without memory as well.
    return members.map((agent) =>
      agent.shadow === undefined
        ? { ...agent, session: "fresh", onCrash: agent.onCrash === "fail" ? "fail" : "restart" }
        : agent,
    );
  },
  role: (definition, agent) => roleOf(tiersOf(definition), agent),
  metadata,
  talk: escalate,
};

/** Agents from cheap to strong: the first answer that its author is sure enough of stands. */
export const cascadePattern = definePattern({
  name: "cascade",
  summary: "Cheap agents answer first, stronger ones when they are not sure",
  block,
  goalKey: "goal",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata,
  check,
  turns: (definition) => {
    const { length } = tiersOf(definition);
    return { least: 1, most: length, basis: `1 to ${count(length, "tier")}` };
  },
  links: (definition) => {
    const tiers = tiersOf(definition);
    return tiers.slice(1).map(({ agent: to }, index) => {
      const { agent: from = "", threshold } = tiers[index] ?? {};
      return { from, to, kind: "route", label: `below ${threshold}` };
    });
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function escalate(talk: Talk): Promise<TalkEnd> {
  const tiers = tiersOf(talk.definition);
  const answers: Answer[] = [];
  for (const [index, { agent, threshold }] of tiers.entries()) {
    const tier = index + 1;
    talk.advance("asked", { tier, agent });
    const costs = talk.context.subscribe({ kinds: ["turn-ended"], from: [agent] });
    const said = await ask(talk, tiers, { tier, agent, answers });
    const costUsd = await costOf(talk, costs);
    const signal =
      said?.status === "said" ? said.signals.find(({ kind }) => kind === "done") : undefined;
    const confidence = signal?.confidence ?? 0;
    const isAccepted = said?.status === "said" && confidence >= threshold;
    talk.advance("tier", { tier, agent, confidence, accepted: isAccepted, costUsd });
    if (said?.status === "said") {
      const answer = { agent, text: said.output, confidence };
      answers.push(answer);
      if (isAccepted) return stand(talk, answer, "is sure enough");
    }
    if (talk.broken !== undefined) return cutOff(talk, answers, talk.broken);
  }
  return exhausted(talk, tiers, answers);
}

interface Asked {
  readonly tier: number;
  readonly agent: string;
  /** Of the tiers before. */
  readonly answers: readonly Answer[];
}

/** The turn of a tier. One that a bound has cut off is given once more, so that its answer may stand (PAT-ends). */
async function ask(
  talk: Talk,
  tiers: readonly Tier[],
  { tier, agent, answers }: Asked,
): Promise<Said | undefined> {
  const now = `You are tier ${tier} of ${tiers.length}. Answer, and say how sure you are: a line \`DONE [confidence=<0 to 1>]: <answer>\`.`;
  const call: TurnCall = {
    agent,
    role: roleOf(tiers, agent),
    now,
    blocks: answers.map(toBlock),
    demand: {
      kinds: ["done"],
      form: "DONE [confidence=<0 to 1>]: <answer>",
      plain: plainSignal("done"),
    },
    announce: "none",
    isFresh: true,
  };
  const said = await talk.turn(call);
  if (said !== undefined) return said;
  talk.unbind();
  return talk.turn({ ...call, now: `This is the last turn of all: ${talk.broken}. ${now}` });
}

/** A bound lets no further tier answer: the surest answer is told, and it is not sure enough. */
function cutOff(talk: Talk, answers: readonly Answer[], bound: string): TalkEnd {
  const surest = surestOf(answers);
  if (surest !== undefined)
    talk.advance("answer", { agent: surest.agent, confidence: surest.confidence });
  return { outcome: "limit-reached", reason: bound, ...present({ output: surest?.text }) };
}

function surestOf(answers: readonly Answer[]): Answer | undefined {
  return answers.toSorted((left, right) => right.confidence - left.confidence)[0];
}

/** The last answer stands; when the last tier has failed, the one that was surest. */
function exhausted(talk: Talk, tiers: readonly Tier[], answers: readonly Answer[]): TalkEnd {
  const last = answers.find(({ agent }) => agent === tiers.at(-1)?.agent);
  const best = last ?? surestOf(answers);
  if (best !== undefined) return stand(talk, best, "stands, though nobody is sure enough");
  const error = [...talk.left.values()].at(-1);
  const reason = `no tier could answer: ${error?.message ?? "nobody was asked"}`;
  return { outcome: "failed", reason, ...present({ error }) };
}

function stand(talk: Talk, { agent, text, confidence }: Answer, how: string): TalkEnd {
  talk.advance("answer", { agent, confidence });
  const reason = `the answer of ${agent} ${how} (confidence ${confidence})`;
  return { outcome: "completed", reason, output: text };
}

/** What turns have cost that ended since; null when nobody knows. */
async function costOf(
  { context }: Talk,
  ended: ReturnType<Talk["context"]["subscribe"]>,
): Promise<number | null> {
  let sum: Usage = {};
  let isUnknown = false;
  for (;;) {
    const event = await context.next(ended, { timeoutMs: 0 });
    if (event === undefined) break;
    if (event.type !== "turn-completed" && event.type !== "turn-failed") continue;
    const { usage = {} } = event;
    sum = addUsage(sum, usage);
    isUnknown ||= isCostUnknown(usage, "nothing");
  }
  return isUnknown ? null : (sum.costUsd ?? null);
}

function toBlock({ agent, text, confidence }: Answer): DataBlock {
  const isLong = text.length > MAX_ANSWER_CHARS;
  const shown = isLong ? `${text.slice(0, MAX_ANSWER_CHARS).toWellFormed()}… (cut here)` : text;
  return { label: `answer of ${agent}, confidence ${confidence}`, text: shown };
}

const notes = {
  asked: z.object({ agent: z.string() }),
  tier: z.object({
    agent: z.string(),
    confidence: z.number(),
    accepted: z.boolean(),
    costUsd: z.number().nullable(),
  }),
  answer: z.object({ confidence: z.number() }),
};

function metadata(
  definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const weights = new Map(tiersOf(definition).map((tier) => [tier.agent, tier.costWeight]));
  const weightOf = (agent: string) => weights.get(agent) ?? 1;
  const ofKind = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const asked = ofKind("asked").map((data) => notes.asked.parse(data));
  const tiers = ofKind("tier").map((data) => notes.tier.parse(data));
  const [answer] = ofKind("answer").map((data) => notes.answer.parse(data));
  return {
    tiers: tiers.map((tier) => ({ ...tier, costWeight: weightOf(tier.agent) })),
    tiersUsed: asked.length,
    totalCostWeight: asked.reduce((sum, { agent }) => sum + weightOf(agent), 0),
    finalConfidence: answer?.confidence ?? null,
    accepted: tiers.some(({ accepted }) => accepted),
  };
}

function roleOf(tiers: readonly Tier[], agent: string): Role {
  const index = tiers.findIndex((tier) => tier.agent === agent);
  const threshold = tiers[index]?.threshold ?? DEFAULT_THRESHOLD;
  const place = { tier: index + 1, tiers: tiers.length, threshold };
  return {
    marker: "DONE",
    convention: (facts) => renderConvention(tierConvention, { ...facts, ...place }),
  };
}

function tiersOf(definition: PatternDefinition): readonly Tier[] {
  const { tiers, maxEscalations = Infinity } = block.parse(definition.options);
  const members = crewOf(definition.agents);
  const named: NonNullable<typeof tiers> = tiers ?? members.map(({ id }) => ({ agent: id }));
  return named
    .slice(0, maxEscalations + 1)
    .map(({ agent, confidenceThreshold = DEFAULT_THRESHOLD, costWeight = 1 }) => ({
      agent: memberNamed(members, agent)?.id ?? agent,
      threshold: confidenceThreshold,
      costWeight,
    }));
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const { tiers = [], maxEscalations } = block.parse(definition.options);
  const names = tiers.map(({ agent }) => agent);
  return [
    ...faultsOfNames("tiers", names, crewOf(definition.agents)),
    ...faultsOfBounds(definition, { maxEscalations }),
  ];
}
