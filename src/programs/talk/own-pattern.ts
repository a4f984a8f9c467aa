import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type {
  PatternOptions,
  PatternTeam,
  PatternTurn,
} from "../../contracts/ports/own-pattern.ts";
import type { Pattern, PatternFault } from "../../contracts/ports/pattern.ts";
import { PROGRAM_OUTCOMES } from "../../contracts/run.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { present } from "../../foundation/present.ts";
import { kindOfMarker } from "../../signals/signal-forms.ts";
import { patternBroken } from "../errors.ts";
import { type ConventionTemplate, renderConvention } from "../patterns/conventions/convention.ts";
import { type PlainReading, plainSignal, plainVerdict, plainVote } from "./plain-answer.ts";
import { givenTurns, runTalk, type TalkEnd } from "./run-talk.ts";
import type { Talk } from "./talk.ts";
import type { Role, TurnCall } from "./talk-turn.ts";

type Options = PatternOptions<unknown>;

/** The pattern that a declaration stands for: one that gives turns itself, and leaves the order of steps to the file. */
export function toPattern(options: Options): Pattern {
  const { name, summary = "a pattern of your own", onFailure = "continue" } = options;
  const { block, blockKey, goalKey, turns, links, metadata } = options;
  const members = (definition: PatternDefinition) => membersOf(options, definition);
  return {
    ...{ name, summary, onFailure, order: "mode", members },
    ...present({ block, blockKey, goalKey, turns, links, metadata }),
    check: (definition) => faultsOf(options, definition),
    run: (context, definition) =>
      runTalk(context, definition, {
        members,
        metadata: (given, advances) => metadata?.(given, advances) ?? {},
        role: (given, agent) => roleOf(options, given, agent),
        talk: (talk) => carryOut(options, talk),
      }),
  };
}

/** Its program alone gives turns, whatever else its author says of its agents. */
function membersOf(options: Options, definition: PatternDefinition): PatternDefinition["agents"] {
  const declared = options.members?.(definition) ?? definition.agents;
  return givenTurns(declared, ({ writesTo, signals }) => present({ writesTo, signals }));
}

/** A block that is not as its schema wants it, and what its author finds wrong with who takes part. */
function faultsOf(options: Options, definition: PatternDefinition): readonly PatternFault[] {
  const read = options.block?.safeParse(definition.options);
  if (definition.steps.length === 0 && read?.error !== undefined)
    return read.error.issues.map(({ path: [key], message }) => ({
      ...(typeof key === "string" ? { key } : {}),
      problem: `its block${key === undefined ? "" : ` has a bad ${String(key)}`}: ${message}`,
    }));
  try {
    return options.check?.(definition) ?? [];
  } catch (error) {
    const problem = `its check went wrong: ${toErrorReport(error).message}`;
    return [{ problem, hint: `mend \`check\` of the pattern ${options.name}` }];
  }
}

async function carryOut(options: Options, talk: Talk): Promise<TalkEnd> {
  const end = endSchema.safeParse(await endOf(options, talk));
  if (end.success) return end.data;
  const problem = `what it returned is no end: ${z.prettifyError(end.error)}`;
  throw patternBroken({ pattern: options.name, problem });
}

async function endOf(options: Options, talk: Talk): Promise<unknown> {
  try {
    return await options.run(talk.context, teamOf(options, talk));
  } catch (error) {
    if (talk.broken !== undefined) return { outcome: "limit-reached", reason: talk.broken };
    if (error instanceof TroupeError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw patternBroken({ pattern: options.name, problem }, { cause: error });
  }
}

const endSchema = z.object({
  outcome: z.enum(PROGRAM_OUTCOMES),
  reason: z.string(),
  output: z.string().exactOptional(),
  error: z.looseObject({ code: z.string(), message: z.string() }).exactOptional(),
});

function teamOf(options: Options, talk: Talk): PatternTeam<unknown> {
  const { definition, members: agents } = talk;
  const assertUnbroken = () => {
    if (talk.broken !== undefined)
      throw patternBroken({ pattern: options.name, problem: talk.broken });
  };
  const turnsOf: PatternTeam<unknown>["turns"] = async (turns) => {
    assertUnbroken();
    const came = await talk.turns(turns.map((turn) => callOf(options, talk, turn)));
    assertUnbroken();
    return came;
  };
  return {
    definition,
    block: options.block?.parse(definition.options) ?? {},
    agents,
    goal: () => talk.goal(),
    turn: async (turn) => {
      const came = await turnsOf([turn]);
      const answer = came.get(turn.agent);
      if (answer === undefined) throw new Error(`the turn of "${turn.agent}" came to nothing`);
      return answer;
    },
    turns: turnsOf,
    advance: (kind, data) => talk.advance(kind, data),
  };
}

/** Raises WORKFLOW_PATTERN_BROKEN for an agent that does not take part, or not any more. */
function callOf(options: Options, talk: Talk, turn: PatternTurn): TurnCall {
  const { agent, now, material = [], demands, isHeard = true, isFresh = false } = turn;
  const problem = problemOf(talk, agent);
  if (problem !== undefined) throw patternBroken({ pattern: options.name, problem });
  const demand = demands === undefined ? undefined : demandOf(demands);
  const ends = demand === undefined ? [] : [`End with a line \`${demand.form}\`.`];
  const { marker, convention } = roleOf(options, talk.definition, agent);
  return {
    agent,
    now: [now, ...ends].join("\n\n"),
    isFresh,
    blocks: material,
    // What ends a turn is said with the turn.
    role: { marker, convention: (facts) => convention({ ...facts, marker: undefined }) },
    announce: isHeard ? "text" : "none",
    ...present({ demand }),
  };
}

function problemOf(talk: Talk, agent: string): string | undefined {
  const ids = talk.members.map(({ id }) => id);
  if (!ids.includes(agent))
    return `it gives a turn to "${agent}", which is none of ${ids.join(", ")}`;
  return talk.isIn(agent) ? undefined : `it gives a turn to "${agent}", which has left`;
}

const PLAIN: ReadonlyMap<string, PlainReading> = new Map([
  ["vote", plainVote],
  ["verdict", plainVerdict],
]);

const FORMS: ReadonlyMap<string, string> = new Map([
  ["vote", "VOTE: <approve or reject> <why>"],
  ["handoff", "HANDOFF: <agent> <reason>"],
]);

function demandOf(marker: string): NonNullable<TurnCall["demand"]> {
  const kind = kindOfMarker(marker);
  return {
    kinds: [kind],
    form: FORMS.get(kind) ?? `${marker}: <your answer>`,
    plain: PLAIN.get(kind) ?? plainSignal(kind),
  };
}

function roleOf(options: Options, definition: PatternDefinition, agent: string): Role {
  const spec = definition.agents.find(({ id }) => id === agent);
  const rules = spec === undefined ? [] : (options.rules?.(spec, definition) ?? []);
  const place = `You take part in "${definition.name}", where agents work together by the pattern ${options.name}.`;
  return {
    marker: "DONE",
    convention: (facts) => renderConvention(ownConvention, { ...facts, place, rules }),
  };
}

const ownConvention: ConventionTemplate<{
  readonly place: string;
  readonly rules: readonly string[];
}> = {
  name: "own/member",
  place: ({ place }) => place,
  result: () => "what you did and found",
  rules: ({ rules }) => rules,
  data: () => [],
};
