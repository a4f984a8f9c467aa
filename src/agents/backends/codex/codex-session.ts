import { z } from "zod";
import type { AgentSession, SessionRequest, TurnUpdate } from "../../../contracts/backend.ts";
import { delay } from "../../../foundation/abort.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { TroupeError, toErrorReport } from "../../../foundation/errors.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { lineTooLarge } from "../parts/errors.ts";
import { type TerminalUpdate, TurnGate, type TurnWork } from "../parts/turn-gate.ts";
import { resultOf } from "./codex-connection.ts";
import { type CodexLaunch, prepareLaunch } from "./codex-launch.ts";
import { answerRequest } from "./codex-permissions.ts";
import { type CodexThread, openThread } from "./codex-thread.ts";

/** What sessions of Codex are made of. */
export interface CodexParts {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly settings: BackendSettings | undefined;
}

/** Opens a session. Raises BACKEND_NOT_FOUND and what opening a thread raises. */
export async function openCodexSession(
  parts: CodexParts,
  request: SessionRequest,
): Promise<AgentSession> {
  const launch = await prepareLaunch(request, parts.settings);
  const session = new CodexSession(parts, request, launch);
  try {
    await session.open();
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

const INTERRUPT_MS = 2000;
const startedSchema = z.object({ turn: z.object({ id: z.string() }) });

interface RunningTurn {
  readonly work: TurnWork;
  readonly end: (terminal: TerminalUpdate) => void;
  /** Undefined until Codex has named it. */
  id?: string;
}

/**
 * Owns one thread and the process that it is open in.
 * I1 Nothing that a cancelled turn started outlives it: interrupting leaves shells behind, so the process
 *    ends, and the next turn opens the thread in another one.
 * I2 What Codex says of a turn's end decides; a process that is gone without it has lost the session.
 */
class CodexSession implements AgentSession {
  readonly #parts: CodexParts;
  readonly #request: SessionRequest;
  readonly #launch: CodexLaunch;
  readonly #gate: TurnGate;
  #thread: CodexThread | undefined;
  #turn: RunningTurn | undefined;
  /** What a new process goes on with: a thread is kept from its first turn on. */
  #kept: string | undefined;
  #id = "";

  constructor(parts: CodexParts, request: SessionRequest, launch: CodexLaunch) {
    this.#parts = parts;
    this.#request = request;
    this.#launch = launch;
    this.#kept = request.resume;
    this.#gate = new TurnGate({ agent: request.spec.id, session: request.session });
  }

  get resume(): string {
    return this.#id;
  }

  async open(): Promise<CodexThread> {
    const { host, settings } = this.#parts;
    const { spec } = this.#request;
    this.#thread ??= await openThread({
      host,
      request: this.#resumed(),
      launch: this.#launch,
      model: spec.model ?? settings?.model,
      onRequest: (request) => answerRequest(request, this.#asking()),
      onUpdate: (update) => this.#take(update),
    });
    this.#id = this.#thread.id;
    return this.#thread;
  }

  prompt(request: Parameters<AgentSession["prompt"]>[0]): AsyncIterable<TurnUpdate> {
    return this.#gate.run(request, (work) => this.#run(work));
  }

  async steer(text: string): Promise<boolean> {
    const [thread, turn] = [this.#thread, this.#turn];
    if (thread === undefined || turn?.id === undefined) return false;
    const params = { threadId: thread.id, expectedTurnId: turn.id, input: toInput(text) };
    // A process that has ended takes no text; its turn says why.
    const answer = await thread.connection.call("turn/steer", params).catch(() => undefined);
    return answer?.ok ?? false;
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#letGo();
    await this.#launch.remove();
  }

  #resumed(): SessionRequest {
    return this.#kept === undefined ? this.#request : { ...this.#request, resume: this.#kept };
  }

  async #run(work: TurnWork): Promise<TerminalUpdate> {
    const thread = await this.open();
    const { promise: ended, resolve: end } = Promise.withResolvers<TerminalUpdate>();
    const turn: RunningTurn = { work, end };
    const gone = thread.connection.gone.then((error) => this.#lose(error));
    const { promise: cut, resolve: abort } = Promise.withResolvers<undefined>();
    const onAbort = () => abort(undefined);
    work.signal.addEventListener("abort", onAbort, { once: true });
    if (work.signal.aborted) onAbort();
    this.#turn = turn;
    try {
      const begun = this.#begin(thread, turn).then((isBegun) => (isBegun ? ended : gone));
      return (await Promise.race([begun, gone, cut])) ?? (await this.#cancel(thread, turn, ended));
    } finally {
      this.#turn = undefined;
      work.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Whether Codex took the prompt; not when its process ended. Raises BACKEND_PROTOCOL. */
  async #begin(thread: CodexThread, turn: RunningTurn): Promise<boolean> {
    const params = { threadId: thread.id, input: toInput(turn.work.request.prompt) };
    const answer = await thread.connection.call("turn/start", params).catch(() => undefined);
    if (answer === undefined) return false;
    const started = startedSchema.safeParse(resultOf(this.#request, answer)).data;
    if (started !== undefined) turn.id = started.turn.id;
    this.#kept = thread.id;
    return true;
  }

  async #cancel(
    { id, connection }: CodexThread,
    turn: RunningTurn,
    ended: Promise<TerminalUpdate>,
  ): Promise<TerminalUpdate> {
    const waiting = new AbortController();
    const late = delay(this.#parts.clock, INTERRUPT_MS, waiting.signal).catch(() => undefined);
    if (turn.id !== undefined) {
      // Whatever it answers: the end of the turn is waited for, or that of the process.
      connection.call("turn/interrupt", { threadId: id, turnId: turn.id }).catch(() => undefined);
      await Promise.race([ended, connection.gone, late]);
    }
    waiting.abort();
    await this.#letGo();
    return { type: "stop", reason: "cancelled" };
  }

  /** The end of a turn whose process is gone. One that was ended for a line that cannot be read keeps its thread. */
  #lose(error: unknown): TerminalUpdate {
    if (!(error instanceof TroupeError) || error.code !== lineTooLarge.code) return toLost(error);
    this.#thread = undefined;
    return { type: "error", error: toErrorReport(error) };
  }

  async #letGo(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.connection.end();
  }

  #take(update: TurnUpdate): void {
    if (this.#turn === undefined) return;
    if (update.type === "stop" || update.type === "error") this.#turn.end(update);
    else this.#turn.work.emit(update);
  }

  #asking() {
    const [thread, turn] = [this.#thread, this.#turn];
    if (thread === undefined || turn === undefined) return undefined;
    return {
      client: turn.work.client,
      tools: this.#request.spec.tools,
      changesOf: (item: string) => thread.reader.changesOf(item),
      tell: (text: string) => this.steer(text),
    };
  }
}

function toInput(text: string) {
  return [{ type: "text", text, text_elements: [] }];
}

function toLost(error: unknown): TerminalUpdate {
  return { type: "error", error: toErrorReport(error), sessionLost: true };
}
