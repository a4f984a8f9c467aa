import {
  type InitializeResponse,
  methods,
  type NewSessionResponse,
} from "@agentclientprotocol/sdk";
import type { SessionRequest } from "../../../../contracts/backend.ts";
import { rejectOnAbort } from "../../../../foundation/abort.ts";
import type { Clock } from "../../../../foundation/clock.ts";
import { TroupeError, toErrorReport } from "../../../../foundation/errors.ts";
import type { ProcessHost } from "../../../../host/host.ts";
import { agentExited, crashed, protocolBroken, sessionUnknown } from "../errors.ts";
import type { TerminalUpdate, TurnWork } from "../turn-gate.ts";
import { toAcpError, toLoadError } from "./acp-error.ts";
import type { AcpLaunch } from "./acp-launch.ts";
import { type AcpProgram, INITIALIZE, startAcpProgram } from "./acp-program.ts";
import { type AcpTurn, carryOutTurn, settlesWithin, withCalmActivity } from "./acp-turn.ts";
import { answerPermission } from "./answer-permission.ts";
import { contextServers } from "./context-servers.ts";
import { chooseOptions, type SessionChoice } from "./session-options.ts";
import { createUpdateReader } from "./update-reader.ts";

/** Whose conversation it is, and with what. */
export interface ConversationOptions {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly request: SessionRequest;
  readonly launch: AcpLaunch;
}

const ANSWER_MS = 120_000;
const BARRIER_MS = 2000;
const MOST_BARRIERS = 100;
/** No program knows it; the refusal comes after all that the program said before. */
const BARRIER = "_troupe/barrier";

/**
 * Owns the program of one session and what is said with it.
 * I1 At most one program lives; the next one, after a cancelled turn, goes on with the same session.
 * I2 What a program tells of earlier turns, when it goes on with a session, is no part of a turn.
 * I3 A program that ends in a turn takes the session with it; whoever holds the token opens another.
 */
export class AcpConversation {
  readonly #options: ConversationOptions;
  #program: AcpProgram | undefined;
  /** The latest one; after its program has exited, others of its family may still be there. */
  #process: AcpProgram["process"] | undefined;
  #sessionId: string | undefined;
  #canLoad = false;
  #turn: AcpTurn | undefined;
  #updates = 0;
  /** What the model still has to be told of its role. */
  #role: string | undefined;
  /** What the session has cost; undefined while that is not known. */
  #costUsd: number | undefined;

  constructor(options: ConversationOptions) {
    const { request, launch } = options;
    this.#options = options;
    this.#sessionId = request.resume;
    if (request.resume !== undefined) return;
    this.#role = launch.systemPrompt;
    this.#costUsd = 0;
  }

  /** What `SessionRequest.resume` takes later; undefined when the program cannot go on with sessions. */
  get resume(): string | undefined {
    return this.#canLoad ? this.#sessionId : undefined;
  }

  /** Starts the program with its session. Raises BACKEND_* and HOST_* errors, or the signal's reason. */
  async connect(signal?: AbortSignal): Promise<void> {
    const program = await startAcpProgram(this.#options, {
      onUpdate: (params) => this.#take(params),
      onPermission: (params) => this.#answer(params),
    });
    this.#program = program;
    this.#process = program.process;
    // It never rejects.
    void program.process.exited.then(() => this.#forget(program));
    try {
      signal?.throwIfAborted();
      await this.#begin(program);
    } catch (error) {
      this.#forget(program);
      const failure = await this.#failureOf(program, error);
      throw signal?.aborted === true ? signal.reason : failure;
    }
  }

  /** Carries out a turn; see TurnGate. */
  async turn(given: TurnWork): Promise<TerminalUpdate> {
    const { clock, launch, request } = this.#options;
    const program = await this.#connected(given.signal);
    const sessionId = this.#sessionId;
    if (program === undefined || sessionId === undefined)
      return sessionLost(crashed({ agent: request.spec.id, session: request.session }));
    const reader = createUpdateReader(launch.dialect);
    const turn: AcpTurn = { work: withCalmActivity(given, clock), reader, notes: [] };
    this.#turn = turn;
    try {
      const { dialect } = launch;
      const place = { program, sessionId, clock, dialect, costBeforeUsd: this.#costUsd };
      return await carryOutTurn(turn, place, this.#toPrompt(given.request.prompt));
    } catch (error) {
      if (given.signal.aborted || error instanceof TroupeError) throw error;
      const failure = await this.#failureOf(program, error);
      if (isExit(failure)) return { ...sessionLost(failure), text: reader.text };
      throw failure;
    } finally {
      this.#turn = undefined;
      this.#costUsd = reader.sessionCostUsd ?? this.#costUsd;
    }
  }

  /** Ends the program and all that it started. */
  async end(): Promise<void> {
    await this.#process?.end();
  }

  /** The program that lives, or another one that goes on with the session; undefined if that cannot be. */
  async #connected(signal: AbortSignal): Promise<AcpProgram | undefined> {
    if (this.#program !== undefined || !this.#canLoad) return this.#program;
    const aborted = rejectOnAbort(signal);
    const connecting = this.connect(signal);
    try {
      await Promise.race([connecting, aborted.promise]);
    } catch (error) {
      await this.end();
      await connecting.catch(() => {});
      throw error;
    } finally {
      aborted.stop();
    }
    return this.#program;
  }

  async #begin(program: AcpProgram): Promise<void> {
    const { agent } = program;
    const initialized = await this.#within<InitializeResponse>(
      agent.request(methods.agent.initialize, INITIALIZE),
      methods.agent.initialize,
    );
    this.#canLoad = initialized.agentCapabilities?.loadSession === true;
    const choice = await this.#openSession(program, initialized);
    const { launch } = this.#options;
    const model = launch.model === undefined ? {} : { model: launch.model };
    await this.#within(chooseOptions({ ...choice, ...model }), "the choice of options");
  }

  async #openSession(
    { agent }: AcpProgram,
    initialized: InitializeResponse,
  ): Promise<Omit<SessionChoice, "model">> {
    const { request, launch } = this.#options;
    const { spec, cwd } = request;
    const place = { cwd, mcpServers: contextServers(request, initialized) };
    const resume = this.#sessionId;
    if (resume === undefined) {
      const { new: create } = methods.agent.session;
      const offered = await this.#within<NewSessionResponse>(agent.request(create, place), create);
      this.#sessionId = offered.sessionId;
      return { agent, sessionId: offered.sessionId, offered, spec };
    }
    if (!this.#canLoad) throw sessionUnknown({ agent: spec.id, resume });
    await launch.dialect.beforeLoad?.(resume);
    const loading = agent.request(methods.agent.session.load, { ...place, sessionId: resume });
    const offered = await this.#within(loading, methods.agent.session.load).catch((error) => {
      throw toLoadError(error, spec.id, resume);
    });
    await this.#historyTold(agent);
    return { agent, sessionId: resume, offered, spec };
  }

  /** Some programs go on telling of the turns of before after they have said that the session is there. */
  async #historyTold(agent: AcpProgram["agent"]): Promise<void> {
    for (let round = 0; round < MOST_BARRIERS; round += 1) {
      const before = this.#updates;
      const isAnswered = await settlesWithin(
        agent.request(BARRIER, {}),
        BARRIER_MS,
        this.#options.clock,
      );
      if (!isAnswered || this.#updates === before) return;
    }
  }

  #take(params: unknown): void {
    this.#updates += 1;
    if (this.#turn === undefined) return;
    const { reader, work } = this.#turn;
    for (const update of reader.take(params)) work.emit(update);
  }

  async #answer(params: { readonly [name: string]: unknown }) {
    const turn = this.#turn;
    if (turn === undefined) return { outcome: { outcome: "cancelled" as const } };
    return answerPermission(params, turn, this.#options.request.spec);
  }

  /** A text that begins like a command of the program's own would be taken for one. */
  #toPrompt(prompt: string): string {
    const role = this.#role;
    this.#role = undefined;
    if (role !== undefined) return `${role}\n\n${prompt}`;
    return /^\s*[/$!]/.test(prompt) ? `The task:\n${prompt}` : prompt;
  }

  async #within<Result>(answer: Promise<Result>, what: string): Promise<Result> {
    if (!(await settlesWithin(answer, ANSWER_MS, this.#options.clock))) {
      const problem = `no answer to ${what} within ${ANSWER_MS / 1000} s`;
      throw protocolBroken({ agent: this.#options.request.spec.id, problem });
    }
    return answer;
  }

  /** What went wrong; the program that did not refuse, but is gone, has ended by then with all that it started. */
  async #failureOf({ process }: AcpProgram, error: unknown): Promise<unknown> {
    const { request, launch } = this.#options;
    const agent = request.spec.id;
    const session = this.#turn === undefined ? undefined : this.#sessionId;
    const answer = session === undefined ? undefined : launch.dialect.failureOf?.(session);
    const refusal = toAcpError(error, agent, answer);
    if (refusal instanceof TroupeError) {
      if (this.#turn === undefined) await process.end();
      return refusal;
    }
    await process.end();
    const { exitCode, signal } = await process.ended;
    return agentExited({
      agent,
      stderr: process.stderr,
      ...(exitCode === null ? {} : { exitCode }),
      ...(signal === null ? {} : { signal }),
    });
  }

  #forget(program: AcpProgram): void {
    if (this.#program === program) this.#program = undefined;
  }
}

function sessionLost(error: unknown): TerminalUpdate & { readonly type: "error" } {
  return { type: "error", error: toErrorReport(error), sessionLost: true };
}

function isExit(error: unknown): boolean {
  return error instanceof TroupeError && error.code === agentExited.code;
}
