import type { TurnRights } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { errorText } from "../../contracts/failure.ts";
import type { Context, TurnOptions, TurnResult } from "../../contracts/ports/context.ts";
import type { Signal } from "../../contracts/signal.ts";
import type { StepAddress } from "../../contracts/step.ts";
import { type ErrorReport, TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { sha256 } from "../../foundation/hash.ts";
import { present } from "../../foundation/present.ts";
import { outputOf } from "../../signals/decide-completion.ts";
import { readSignals } from "../../signals/read-signals.ts";
import { SIGNAL_FORMS } from "../../signals/signal-forms.ts";
import { memberFailed, noSignal, reportedFailure, turnStopped } from "../errors.ts";
import { reminderFor } from "../patterns/conventions/convention.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";
import { retryPreface } from "../patterns/conventions/retry-preface.ts";
import { placeOf } from "../primitives/execute-pattern-step.ts";
import type { Team } from "../primitives/team.ts";
import { type Attempted, executeStep, type FailedTry, type StepEnd } from "../step/execute-step.ts";
import type { HeardNews } from "./channel-news.ts";
import { type Demand, type Heard, hearTurn } from "./hear-turn.ts";

/** What a turn is given for. */
export interface TurnCall {
  readonly agent: string;
  /** The agent's role; told once in a session. */
  readonly role: Role;
  /** What to do now, in a line or two: round, bound, form of the signal. */
  readonly now: string;
  /** Work of others that the turn builds on, beside what was said in the channel. */
  readonly blocks?: readonly DataBlock[];
  /** What it is told of the channel. Defaults to all. */
  readonly hears?: HeardNews;
  /** Absent: the turn says what it likes. */
  readonly demand?: Demand;
  /** What its text does if the turn posted nothing itself. */
  readonly announce: "text" | "none";
  /** Whom its text goes to directly; asked for with every turn. Defaults to the channel. */
  readonly announceTo?: () => string | undefined;
  /** Whom its agent may write to in it. Defaults to all whom the pattern lets it write to. */
  readonly writesTo?: readonly string[];
  /** Whether it has a session of its own, without memory of earlier turns. Defaults to false. */
  readonly isFresh?: boolean;
}

/** A turn as its pattern asks for it, in parts; who its agent is, is known to whoever gives it. */
export interface SketchedTurn extends Omit<TurnCall, "role" | "now"> {
  readonly now: readonly string[];
}

/** Gives such a turn. */
export type GiveSketched = (branch: Context, turn: SketchedTurn) => Promise<StepEnd<SaidText>>;

/** What an agent is in its pattern. */
export interface Role {
  /** The keyword with which its work ends. */
  readonly marker: string;
  /** The convention block. */
  readonly convention: (facts: ConventionFacts) => string;
}

/** What a turn is told: as whoever reads conventions gets it, and as programs do. */
export interface GivenPrompt {
  readonly prompt: string;
  readonly task: string;
}

/** A turn's text without its signals, and these. */
export interface SaidText {
  readonly text: string;
  /** What stands behind the demanded signal, else the text. */
  readonly output: string;
  readonly signals: readonly Signal[];
}

/** A turn that a pattern gives. */
export interface TalkTurn {
  /** The branch in which it is given. */
  readonly branch: Context;
  readonly definition: PatternDefinition;
  readonly team: Team;
  readonly call: TurnCall;
  /** Which turn of its agent it is, from 1. */
  readonly execution: number;
  /** Path of the scope with which the agent's session ends. */
  readonly session: string;
  readonly tell: () => Promise<GivenPrompt>;
  /** What follows each of its turns. Defaults to a reminder if the demanded signal is missing (SIG-6). */
  readonly follow?: (said: HeardTurn) => Promise<Followed>;
  /** Holds what every single turn needs. Defaults to nothing. */
  readonly hold?: (turn: () => Promise<TurnResult>) => Promise<TurnResult>;
}

/** A turn and what it said. */
export interface HeardTurn {
  readonly turn: TurnResult;
  readonly heard: Heard;
}

/** What follows a turn: the end of the execution, or another turn of it. */
export type Followed =
  | { readonly status: "over"; readonly heard: Heard }
  | { readonly status: "again"; readonly prompt: string };

/** Gives a turn, as an execution of the step that has its agent's id: with attempts, and a reminder if its signal is missing. */
export function giveTurn(turn: TalkTurn): Promise<StepEnd<SaidText>> {
  const { branch, definition, call, execution } = turn;
  const { agent } = call;
  const { maxAttempts = 1, retryDelayMs = 0 } = definition.turns ?? {};
  const place = placeOf(definition, agent, execution);
  let given: GivenPrompt = { prompt: "", task: "" };
  return executeStep<SaidText>({
    door: branch,
    place,
    when: undefined,
    tries: { agent, maxAttempts, retryDelayMs, others: [] },
    holds: () => true,
    prepare: async () => {
      given = await turn.tell();
      return sha256(given.prompt);
    },
    // What was said in another run was said to others.
    reusable: () => undefined,
    attempt: ({ attempt }, before) => {
      const { path } = place;
      return attemptTurn(turn, { given, before, address: { id: agent, path, execution, attempt } });
    },
  });
}

interface TriedTurn {
  readonly given: GivenPrompt;
  readonly before: FailedTry | undefined;
  readonly address: StepAddress;
}

async function attemptTurn(turn: TalkTurn, tried: TriedTurn): Promise<Attempted<SaidText>> {
  try {
    return await takeTurns(turn, tried);
  } catch (error) {
    if (error instanceof TroupeError && error.code === "ENGINE_CANCELLED") throw error;
    return { status: "failed", error: toErrorReport(error), output: "" };
  }
}

/** The turn, and those that follow it. */
async function takeTurns(turn: TalkTurn, tried: TriedTurn): Promise<Attempted<SaidText>> {
  const { branch, team, call, hold = (take) => take() } = turn;
  const { agent, demand } = call;
  const isTold = team.handle(agent).conventions !== "none";
  const kinds = demand?.kinds ?? [];
  const { follow = remindOnce(turn) } = turn;
  let { prompt, options } = askedFirst(turn, tried, isTold);
  for (;;) {
    const said = await hold(() => team.turn(branch, { agent, prompt, options }));
    const followed = await follow({ turn: said, heard: hearTurn(said, demand, isTold) });
    if (followed.status === "over")
      return attempted({ agent, turn: said, heard: followed.heard, kinds });
    ({ prompt } = followed);
    options = turnOptions(turn, tried);
  }
}

function remindOnce({
  branch,
  call: { demand },
}: Pick<TalkTurn, "branch" | "call">): NonNullable<TalkTurn["follow"]> {
  let isReminded = false;
  return async ({ turn: { text, signals }, heard }) => {
    if (heard.status !== "silent" || demand === undefined || isReminded)
      return { status: "over", heard };
    if (await demand.isEnough?.(branch, text))
      return { status: "over", heard: { status: "heard", signals } };
    isReminded = true;
    const prompt = reminderFor(markerOfKind(demand.kinds[0]), demand.form);
    return { status: "again", prompt };
  };
}

function askedFirst(turn: TalkTurn, tried: TriedTurn, isTold: boolean): AskedTurn {
  const { given, before } = tried;
  const error = before === undefined ? undefined : errorText(turn.definition, before.error);
  const options = {
    ...turnOptions(turn, tried),
    ...present({ previousError: error }),
  };
  if (!isTold) return { prompt: given.task, options };
  const preface =
    before === undefined
      ? ""
      : `${retryPreface(turn.definition, { error: before.error, previousOutput: before.output })}\n\n`;
  return { prompt: preface + given.prompt, options: { ...options, task: given.task } };
}

interface AskedTurn {
  readonly prompt: string;
  readonly options: TurnOptions;
}

function turnOptions({ definition, call, session }: TalkTurn, { address }: TriedTurn): TurnOptions {
  const { announce, announceTo, demand, isFresh = false } = call;
  const report = announceTo?.();
  const { timeoutMs } = definition.turns ?? {};
  const marker = demand === undefined ? "DONE" : markerOfKind(demand.kinds[0]);
  return {
    step: address,
    announce,
    ...(report === undefined ? {} : { announceTo: report }),
    takesMessages: true as const,
    ...(isFresh ? {} : { session }),
    ...rightsOf(definition, call),
    ...(SIGNAL_FORMS.has(marker) ? {} : { expects: marker }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/**
 * What its agent may do in a turn, where that is not what it is declared with: agents of a workflow around the pattern
 * have other roles elsewhere.
 */
function rightsOf(
  { agents, within }: PatternDefinition,
  { agent, writesTo }: TurnCall,
): { readonly rights?: TurnRights } {
  if (within === undefined && writesTo === undefined) return {};
  const member = agents.find(({ id }) => id === agent);
  const { signals } = member ?? {};
  return { rights: present({ writesTo: writesTo ?? member?.writesTo, signals }) };
}

/** What a failure means for the run: a person may send the turn round again. Rejects when it ends the run. */
export async function isTriedAgain(
  branch: Context,
  { onFailure }: PatternDefinition,
  { agent, error }: { readonly agent: string; readonly error: ErrorReport },
): Promise<boolean> {
  if (onFailure === "abort") throw memberFailed({ agent, problem: error.message, error });
  if (onFailure !== "pause") return false;
  const message = `agent "${agent}" failed: ${error.message}`;
  const decision = await branch.approval({ message, step: agent, purpose: "pause" });
  if (!decision.approved) throw memberFailed({ agent, problem: error.message, error });
  return true;
}

/** The keyword of a kind: standing ones are written in upper case. */
export function markerOfKind(kind: string): string {
  const keyword = kind.toUpperCase();
  return SIGNAL_FORMS.has(keyword) ? keyword : kind;
}

interface JudgedTurn {
  readonly agent: string;
  readonly turn: TurnResult;
  readonly heard: Heard;
  /** What was demanded. */
  readonly kinds: readonly string[];
}

function attempted({ agent, turn, heard, kinds }: JudgedTurn): Attempted<SaidText> {
  const { text, textTruncated: outputTruncated } = turn;
  if (heard.status === "heard") {
    const { signals } = heard;
    const plain = readSignals(text).rest.trim();
    const signal = signals.find(({ kind }) => kinds.includes(kind));
    const reason = signal === undefined ? "exit" : "done-signal";
    const output =
      signal === undefined
        ? plain
        : outputOf(plain, { status: "done", reason: "done-signal", signal });
    const recorded = text === output ? {} : { text };
    const work = { output, outputTruncated, reason, agent: undefined, recorded } as const;
    return { status: "completed", work, done: { text: plain, output, signals } };
  }
  const error = failureOf(agent, heard, markerOfKind(kinds[0] ?? "done"));
  return { status: "failed", error: toErrorReport(error), output: text };
}

function failureOf(
  agent: string,
  heard: Exclude<Heard, { readonly status: "heard" }>,
  marker: string,
): TroupeError {
  switch (heard.status) {
    case "negative": {
      const { kind, value } = heard.signal;
      return reportedFailure({ agent, step: agent, kind, text: value });
    }
    case "silent":
      return noSignal({ agent, step: agent, marker });
    case "stopped":
      return turnStopped({ agent, step: agent, stopReason: heard.stopReason });
  }
}
