import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
} from "@ai-sdk/provider";
import type { SessionFact } from "../../../contracts/session-record.ts";
import type { Usage } from "../../../contracts/usage.ts";
import { delay } from "../../../foundation/abort.ts";
import { backoffMs } from "../../../foundation/backoff.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { present } from "../../../foundation/present.ts";
import type { Random } from "../../../foundation/random.ts";
import { toProviderError } from "../parts/provider-error.ts";
import type { TurnWork } from "../parts/turn-gate.ts";
import { askModel } from "./ask-model.ts";
import {
  contextTokens,
  DEFAULT_CONTEXT_WINDOW,
  isNearlyFull,
  planCompaction,
  SUMMARISE,
} from "./loop/compact.ts";
import type { AnswerEntry, PlainEntry, SessionEntry } from "./loop/entry.ts";
import { flatten, timesAsked } from "./loop/next-step.ts";
import type { ReadAnswer } from "./loop/read-answer.ts";
import { PromptWriter, type ShownPrompt, toldMessage } from "./loop/to-prompt.ts";
import type { ChosenModel } from "./provider/choose-model.ts";
import { contextFull } from "./provider/errors.ts";
import { type ModelFailure, readFailure, tooLargeIn } from "./provider/model-failure.ts";
import type { Transcript } from "./transcript.ts";

// Owns the requests of a session to its model.
// C1: an answer is in the record before anybody acts on it, and durable before the model is asked again or a tool has an
//     effect; what is in the record is not asked for again.
// C2: a provider that has too much to do ends the turn, so that its account slows down for everybody; the turn starts
//     again where it stopped. What only this request met is tried again here.

/** With the pauses between them a server may be away for about a minute and a half. */
const MAX_TRIES = 9;
/** A window, in tokens, into which nothing fits but what was said last. */
const NOTHING_KEPT = 1;
const BACKOFF = { initialMs: 1000, maxMs: 20_000 };

/** What a model may call, and the hash of that. */
export interface OfferedTools {
  readonly tools: readonly LanguageModelV4FunctionTool[];
  readonly hash: string;
}

/** What a session asks its model with. */
export interface ModelCallParts {
  readonly agent: string;
  readonly chosen: ChosenModel;
  readonly model: LanguageModelV4;
  readonly system: string;
  /** As they are now. */
  readonly tools: () => OfferedTools;
  /** How much it may think and say in one answer. */
  readonly bounds: Pick<LanguageModelV4CallOptions, "reasoning" | "maxOutputTokens">;
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly random: Random;
}

/** Asks the model of a session. */
export class ModelCalls {
  readonly #parts: ModelCallParts;
  readonly #prompts = new PromptWriter();

  constructor(parts: ModelCallParts) {
    this.#parts = parts;
  }

  /** The same for all of a session, also when the project says something else by now. */
  get #system(): string {
    return this.#parts.transcript.system ?? this.#parts.system;
  }

  /** Asks for the next answer and keeps it. Raises BACKEND_* errors, HOST_BODY_TOO_LARGE and AGENT_CONTEXT_FULL. */
  async ask(work: TurnWork): Promise<void> {
    const { transcript, chosen } = this.#parts;
    const { contextWindow = DEFAULT_CONTEXT_WINDOW } = chosen;
    if (isNearlyFull(transcript.entries, contextWindow)) await this.#compact(work, contextWindow);
    const first = await this.#tryAsk(work);
    if (first === undefined) return;
    // The provider knows its window better than anybody here.
    const before = contextTokens(transcript.entries);
    if (!(await this.#compact(work, Math.min(contextWindow, before)))) throw this.#full(first);
    const second = await this.#tryAsk(work);
    if (second !== undefined) throw this.#full(second);
  }

  /** Puts a summary in place of all that came before this turn, if that is anything. Raises as `ask`. */
  async compact(work: TurnWork): Promise<void> {
    await this.#compact(work, NOTHING_KEPT);
  }

  /** Undefined once the answer is kept; a failure when what was asked is too long. */
  async #tryAsk(work: TurnWork): Promise<ModelFailure | undefined> {
    const { turn } = work.request;
    const { transcript } = this.#parts;
    const shown = this.#prompts.show(this.#system, transcript.entries);
    const call = timesAsked(transcript.entries, turn) + 1;
    const result = await this.#request({ shown, call, isShown: true }, work);
    if (!("answer" in result)) return result.failure;
    const { finish, parts, usage } = result.answer;
    const { inputTokens, outputTokens = 0 } = usage;
    const tokens = inputTokens === undefined ? undefined : inputTokens + outputTokens;
    const entry: AnswerEntry = { kind: "answer", turn, finish, parts, ...present({ tokens }) };
    this.#keep(this.#fact(call, result), entry, work);
    return undefined;
  }

  #keep(fact: SessionFact, entry: SessionEntry, work: TurnWork): void {
    this.#parts.transcript.add(work.request.turn, fact, entry);
    if (fact.type === "model-called" && fact.usage !== undefined)
      work.emit({ type: "usage", usage: fact.usage });
  }

  #fact(call: number, { answer, hash }: Answered): SessionFact {
    const { provider, id } = this.#parts.chosen;
    const usage: Usage = answer.usage;
    return { type: "model-called", call, model: `${provider}/${id}`, request: hash, usage };
  }

  /** Makes the session shorter; false when nothing of it can be left out. */
  async #compact(work: TurnWork, contextWindow: number): Promise<boolean> {
    const { transcript } = this.#parts;
    const plan = planCompaction(transcript.entries, contextWindow);
    if (plan.type === "nothing") return false;
    const summary = plan.type === "shorten" ? undefined : await this.#summary(plan.old, work);
    this.#keepCompacted(work.request.turn, plan.rest, summary);
    return true;
  }

  #keepCompacted(turn: number, rest: readonly PlainEntry[], summary: string | undefined): void {
    const { transcript } = this.#parts;
    const { entries } = transcript;
    const asked = timesAsked(entries, turn);
    const entry: SessionEntry = {
      kind: "compacted",
      turn,
      asked,
      rest: [...flatten(entries).filter(isMark), ...rest.filter((each) => !isLeftOut(each))],
      ...present({ summary, system: transcript.system }),
    };
    const before = contextTokens(entries);
    const fact = { type: "context-compacted", before, after: contextTokens([entry]) } as const;
    transcript.add(turn, fact, entry);
  }

  /** The summary that is paid for already, or a new one. */
  async #summary(old: readonly SessionEntry[], work: TurnWork): Promise<string> {
    const { transcript } = this.#parts;
    const { turn } = work.request;
    const last = transcript.entries.at(-1);
    if (last?.kind === "summary") return last.text;
    const shown = this.#prompts.show(this.#system, old, toldMessage(SUMMARISE));
    const call = timesAsked(transcript.entries, turn) + 1;
    const result = await this.#request({ shown, call, isShown: false }, work);
    if (!("answer" in result)) throw this.#full(result.failure);
    const text = result.answer.parts
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("")
      .trim();
    const entry: SessionEntry = { kind: "summary", turn, text: text === "" ? "(nothing)" : text };
    this.#keep(this.#fact(call, result), entry, work);
    return entry.text;
  }

  async #request(
    { shown, call, isShown }: Question,
    work: TurnWork,
  ): Promise<Answered | { readonly failure: ModelFailure }> {
    const { model, tools, clock, random, agent, bounds, transcript, chosen } = this.#parts;
    await transcript.flushed();
    const offered = tools();
    const how = {
      ...bounds,
      ...(isShown ? {} : { toolChoice: { type: "none" } as const }),
      // What a provider would keep for us is gone when it likes; the record is not.
      providerOptions: { openai: { store: false } },
    };
    const options = { ...how, prompt: shown.prompt, tools: [...offered.tools] };
    const hash = sha256(`${shown.hash}${offered.hash}${JSON.stringify(how)}`);
    const callPrefix = `${work.request.turn}.${call}`;
    for (let tries = 1; ; tries += 1) {
      const outcome = await askModel({ model, options, callPrefix, isShown }, work);
      if (outcome.status === "answered") return { answer: outcome.answer, hash };
      if (work.signal.aborted) await this.#keepPartial(work.request.turn, outcome.reader.parts);
      work.signal.throwIfAborted();
      const tooLarge = tooLargeIn(outcome.error);
      if (tooLarge !== undefined) throw tooLarge;
      const failure = readFailure(outcome.error, clock.now());
      if (failure.isTooLong) return { failure };
      if (failure.retry === undefined || tries === MAX_TRIES)
        throw toProviderError({
          ...{ agent, signIn: signInOf(chosen), isGivenUp: true },
          ...failure.told,
        });
      const delayMs = backoffMs(BACKOFF, tries, random);
      work.emit({ type: "retrying", reason: failure.retry, delayMs });
      await delay(clock, delayMs, work.signal);
    }
  }

  /** What was said before somebody cut it off stays said. */
  async #keepPartial(turn: number, parts: AnswerEntry["parts"]): Promise<void> {
    const texts = parts.filter((part) => part.type === "text" && part.text.trim() !== "");
    if (texts.length === 0) return;
    const fact = { type: "session-noted", what: "answer-cut" } as const;
    const entry = { kind: "answer", turn, finish: "cut", parts: texts } as const;
    const { transcript } = this.#parts;
    transcript.add(turn, fact, entry);
    await transcript.flushed();
  }

  #full({ told }: ModelFailure): Error {
    const { agent, chosen } = this.#parts;
    const { problem } = told;
    return contextFull({ agent, model: `${chosen.provider}/${chosen.id}`, problem });
  }
}

/** What a provider does not accept where it says that somebody is not signed in. */
function signInOf({ provider, keys }: ChosenModel): string {
  return keys.length === 0
    ? `no key was sent: name the variable that holds one, backends.${provider}.apiKeyEnv`
    : `it was asked with the key in ${keys.join(" or ")}; troupe doctor --online tries it`;
}

interface Question {
  readonly shown: ShownPrompt;
  readonly call: number;
  readonly isShown: boolean;
}

interface Answered {
  readonly answer: ReadAnswer;
  /** Of what was asked. */
  readonly hash: string;
}

/** Marks hold whatever is left out around them. */
function isMark(
  entry: SessionEntry,
): entry is Extract<PlainEntry, { readonly kind: "forked" | "pinned" }> {
  return entry.kind === "forked" || entry.kind === "pinned";
}

/** A summary stands before what is left; marks are kept apart. */
function isLeftOut(entry: PlainEntry): boolean {
  return entry.kind === "summary" || isMark(entry);
}
