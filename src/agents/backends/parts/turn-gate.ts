import type { TurnRequest, TurnUpdate } from "../../../contracts/backend.ts";
import type { TurnClient } from "../../../contracts/turn-client.ts";
import { rejectOnAbort } from "../../../foundation/abort.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { MAX_OUTPUT_CHARS } from "../../../foundation/output-end.ts";
import { toShortageError } from "../../../foundation/shortage.ts";
import { sessionBusy, sessionClosed } from "./errors.ts";
import { createUpdateQueue } from "./update-queue.ts";

/** How a turn ends. */
export type TerminalUpdate = Extract<TurnUpdate, { readonly type: "stop" | "error" }>;

/** What the work of a turn gets. */
export interface TurnWork {
  readonly request: TurnRequest;
  /** Aborts when the turn is cut off, the session closed or the reader gone. */
  readonly signal: AbortSignal;
  /** The client of the request; its calls reject once the turn is over. */
  readonly client: TurnClient;
  emit(update: Exclude<TurnUpdate, TerminalUpdate>): void;
}

/** Does the work of one turn. What it throws is the turn's error, or `cancelled` after an abort. */
export type TurnBody = (work: TurnWork) => Promise<TerminalUpdate>;

/**
 * Most characters of a turn's final text; the beginning of longer ones is cut off. One more than the
 * 1 Mi that a turn's result may have, so that whoever cuts it to that sees that something is missing.
 */
export const MAX_ANSWER_CHARS = MAX_OUTPUT_CHARS + 1;

// Made once: an exception per turn would cost more than the rest of a scripted turn.
const TURN_OVER = new DOMException("the turn is over", "AbortError");
const TURN_LEFT = new DOMException("the reader left the turn", "AbortError");
const SESSION_CLOSED = new DOMException("the session was closed", "AbortError");

interface RunningTurn {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/**
 * Owns the turns of one session.
 * I1 One turn at a time; each stream ends with exactly one stop or error.
 * I2 A turn's work is over before its stream ends, and before `close` resolves.
 * I3 Leaving the stream early aborts the work.
 */
export class TurnGate {
  readonly #names: { readonly agent: string; readonly session: string };
  #turn: RunningTurn | undefined;
  #isClosed = false;

  constructor(names: { readonly agent: string; readonly session: string }) {
    this.#names = names;
  }

  async *run(request: TurnRequest, body: TurnBody): AsyncGenerator<TurnUpdate, void, void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return yield refusal;
    const queue = createUpdateQueue();
    const controller = new AbortController();
    const abort = () => controller.abort(request.signal.reason);
    if (request.signal.aborted) abort();
    else request.signal.addEventListener("abort", abort, { once: true });
    const work: TurnWork = {
      request,
      signal: controller.signal,
      client: clientUntil(controller.signal, request.client),
      emit: queue.push,
    };
    const ended = settle(body, work).finally(() => {
      controller.abort(TURN_OVER);
      request.signal.removeEventListener("abort", abort);
      queue.end();
    });
    const turn = { controller, ended };
    this.#turn = turn;
    try {
      for (let update = await queue.next(); update !== undefined; update = await queue.next())
        yield update;
      const terminal = await ended;
      if (terminal.type === "error" && terminal.sessionLost === true) this.#isClosed = true;
      // Free before the end is seen: the reader may ask for the next turn at once.
      this.#turn = undefined;
      yield terminal;
    } finally {
      controller.abort(TURN_LEFT);
      await ended;
      if (this.#turn === turn) this.#turn = undefined;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#turn?.controller.abort(SESSION_CLOSED);
    await this.#turn?.ended;
  }

  #refusal(): TerminalUpdate | undefined {
    if (this.#isClosed)
      return { type: "error", error: toErrorReport(sessionClosed(this.#names)), sessionLost: true };
    if (this.#turn !== undefined)
      return { type: "error", error: toErrorReport(sessionBusy(this.#names)) };
    return undefined;
  }
}

async function settle(body: TurnBody, work: TurnWork): Promise<TerminalUpdate> {
  // The gate must know of the turn before its work begins: the work may look at the gate.
  await Promise.resolve();
  if (work.signal.aborted) return { type: "stop", reason: "cancelled" };
  try {
    return cut(await body(work));
  } catch (error) {
    if (work.signal.aborted) return { type: "stop", reason: "cancelled" };
    return { type: "error", error: toErrorReport(toShortageError(error) ?? error) };
  }
}

function cut(terminal: TerminalUpdate): TerminalUpdate {
  const { text } = terminal;
  if (text === undefined || text.length <= MAX_ANSWER_CHARS) return terminal;
  return { ...terminal, text: text.slice(-MAX_ANSWER_CHARS).toWellFormed() };
}

/** The client, its calls ending with the turn: what goes on after it may no longer act as the agent. */
function clientUntil(signal: AbortSignal, client: TurnClient): TurnClient {
  const race = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted();
    const aborted = rejectOnAbort(signal);
    try {
      return await Promise.race([call(), aborted.promise]);
    } finally {
      aborted.stop();
    }
  };
  return {
    post: (draft) => race(() => client.post(draft)),
    editDocument: (edit) => race(() => client.editDocument(edit)),
    signal: (given) => race(() => client.signal(given)),
    callTool: (...call) => race(() => client.callTool(...call)),
    requestPermission: (...request) => race(() => client.requestPermission(...request)),
    ask: (...question) => race(() => client.ask(...question)),
    plan: (step) => race(() => client.plan(step)),
  };
}
