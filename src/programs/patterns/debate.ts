import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import {
  convergence,
  convergenceOf,
  type Debating,
  describeConvergence,
  isDebateOver,
  winnerOf,
} from "../primitives/debate-end.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import {
  type Argument,
  argument,
  roundsOf,
  toArgument,
  toBlocks,
} from "../primitives/transcript.ts";
import {
  faultsOfBounds,
  faultsOfNames,
  memberNamed,
  ofRoleOrAll,
  onlyOfRole,
} from "../talk/find-members.ts";
import { plainSignal, plainVerdict } from "../talk/plain-answer.ts";
import { givenTurns, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import { debaterConvention, judgeConvention } from "./conventions/debate-convention.ts";

const DEFAULT_ROUNDS = 3;
const block = z.strictObject({
  topic: z.string().min(1).optional().describe("What is debated. Default: the task."),
  positions: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe(
      "Who debates, and what each defends. Default: agents of role debater, else all but the judge.",
    ),
  judge: z
    .string()
    .min(1)
    .optional()
    .describe("Who decides in the end. Default: the agent of role judge, if there is one."),
  maxRounds: z.int().min(1).max(100).optional().describe("Rounds at most. Default: 3."),
  earlyConvergence: z
    .boolean()
    .optional()
    .describe("Whether it ends once all who are left defend the same. Default: true."),
});

/** Who debates what, for how long. */
interface Plan extends Debating {
  readonly judge: string | undefined;
  readonly maxRounds: number;
}

const verdict = z.object({
  winner: z.string().nullable(),
  verdict: z.string(),
  reasoning: z.string(),
});

const pattern: TalkPattern = {
  members: (definition) => {
    const { debaters, judge } = planOf(definition);
    return givenTurns(definition.agents, ({ id }) => ({
      writesTo: ["user", "#"],
      signals: [
        ...(debaters.includes(id) ? ["argument", "concede"] : []),
        ...(id === judge ? ["verdict"] : []),
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
  block,
  goalKey: "topic",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata,
  check,
  turns: (definition) => {
    const { debaters, judge, maxRounds } = planOf(definition);
    const last = judge === undefined ? 0 : 1;
    const sides = count(debaters.length, "debater");
    const basis = `${sides} x 1 to ${count(maxRounds, "round")}${last === 0 ? "" : " + 1 judge"}`;
    return { least: debaters.length + last, most: debaters.length * maxRounds + last, basis };
  },
  links: (definition) => {
    const { debaters, judge } = planOf(definition);
    const words = debaters.map((from) => ({ from, to: "round", kind: "signal" as const }));
    return judge === undefined ? words : [...words, { from: "round", to: judge, kind: "signal" }];
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
  plan: Plan,
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

/** The judge decides, with all that was said before it. */
async function judged(
  talk: Talk,
  judge: string,
  { plan, said }: { readonly plan: Plan; readonly said: readonly Argument[] },
): Promise<TalkEnd> {
  talk.unbind();
  const came = await talk.turn({
    agent: judge,
    role: roleOf(plan, judge),
    now: "Judge: a line `VERDICT: <the position that has won>`, and below it a line `DONE: <why>`.",
    blocks: toBlocks(said),
    hears: "posts",
    demand: { kinds: ["verdict"], form: "VERDICT: <position>", plain: plainVerdict },
    announce: "text",
  });
  if (came?.status !== "said") {
    const error = came?.error ?? talk.left.get(judge);
    const reason = `the judge gave no verdict: ${error?.message ?? "it was cut off"}`;
    return { outcome: "failed", reason, ...present({ error }) };
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
  _: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const ofKind = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const spoken = ofKind("argument").map((data) => argument.parse(data));
  const [end] = ofKind("convergence").map((data) => convergence.parse(data));
  const [decided] = ofKind("verdict").map((data) => verdict.parse(data));
  return {
    rounds: roundsOf(spoken),
    verdict: decided?.verdict ?? null,
    judgeReasoning: decided?.reasoning ?? null,
    winner: decided === undefined ? (end?.position ?? null) : decided.winner,
  };
}

function roleOf(plan: Plan, agent: string): Role {
  const { debaters, judge, maxRounds, position } = plan;
  if (agent === judge) {
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

function planOf(definition: PatternDefinition): Plan {
  const given = block.parse(definition.options);
  const members = crewOf(definition.agents);
  const judge = (
    given.judge === undefined ? onlyOfRole(members, "judge") : memberNamed(members, given.judge)
  )?.id;
  const positions = new Map(
    Object.entries(given.positions ?? {}).map(
      ([name, text]) => [memberNamed(members, name)?.id ?? name, text] as const,
    ),
  );
  const others = members.filter(({ id }) => id !== judge);
  const debaters =
    given.positions === undefined
      ? ofRoleOrAll(others, "debater")
      : members.filter(({ id }) => positions.has(id));
  return {
    debaters: debaters.map(({ id }) => id),
    judge,
    maxRounds: given.maxRounds ?? DEFAULT_ROUNDS,
    earlyConvergence: given.earlyConvergence ?? true,
    position: (agent) => positions.get(agent),
  };
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const { positions = {}, judge, maxRounds, earlyConvergence } = block.parse(definition.options);
  const members = crewOf(definition.agents);
  const plan = planOf(definition);
  const judges = members.filter(({ role }) => role === "judge");
  const faults: PatternFault[] = [
    ...faultsOfNames("positions", Object.keys(positions), members),
    ...(judge === undefined ? [] : faultsOfNames("judge", [judge], members)),
    ...faultsOfBounds(definition, { maxRounds, earlyConvergence }),
  ];
  if (judge === undefined && judges.length > 1)
    faults.push({
      problem: `${judges.length} agents have the role judge`,
      hint: "name one under judge",
    });
  if (plan.judge !== undefined && plan.debaters.includes(plan.judge))
    faults.push({ key: "positions", problem: `${plan.judge} would debate and judge` });
  if (plan.debaters.length < 2)
    faults.push({
      problem: `a debate needs 2 debaters, there ${plan.debaters.length === 1 ? "is 1" : "are none"}`,
      hint: "write debate: { positions: { <agent>: <what it defends> } }",
    });
  return faults;
}
