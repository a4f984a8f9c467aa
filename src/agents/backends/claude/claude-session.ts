import { randomUUID } from "node:crypto";
import type { AgentSession, SessionRequest, TurnRequest } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { sessionUnknown } from "../parts/errors.ts";
import type { TerminalUpdate, TurnWork } from "../parts/turn-gate.ts";
import { TurnGate } from "../parts/turn-gate.ts";
import { isolatingArguments, PIPE_ARGUMENTS } from "./claude-arguments.ts";
import { createEnvironment } from "./claude-environment.ts";
import {
  type ClaudeProgram,
  type ClaudeProgramOptions,
  startClaudeProgram,
} from "./claude-program.ts";
import { type ClaudeTurn, createClaudeTurn } from "./claude-turn.ts";

/** What a session is made of. */
export interface ClaudeSessionOptions {
  readonly request: SessionRequest;
  readonly settings: BackendSettings | undefined;
  readonly host: ProcessHost;
  readonly clock: Clock;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Opens a session of Claude Code, with its program running. See `createClaudeBackend` for what it raises. */
export async function openClaudeSession(options: ClaudeSessionOptions): Promise<AgentSession> {
  const { request, settings, host, clock } = options;
  const { spec, cwd, env, resume } = request;
  if (resume !== undefined && !UUID.test(resume)) throw sessionUnknown({ agent: spec.id, resume });
  const [file, ...args] = findAgentProgram({ spec, settings, program: "claude", env, cwd });
  const environment = await createEnvironment(request, settings);
  const session = new ClaudeSession({
    request,
    host,
    clock,
    argv: [file, ...args, ...PIPE_ARGUMENTS, ...isolatingArguments(request, settings)],
    env: environment.env,
  });
  const close = async () => {
    await session.close();
    await environment.dispose();
  };
  try {
    await session.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    resume: session.id,
    prompt: (turn) => session.prompt(turn),
    steer: (text) => session.steer(text),
    close,
  };
}

/**
 * Owns the program of one session.
 * I1 One program at a time, and none after `close`.
 * I2 The program of a cancelled turn ends with it: what the agent started in the background could not be found
 *    in any other way. The next turn starts another one on the same session.
 */
class ClaudeSession {
  readonly id: string;
  readonly #options: ClaudeProgramOptions;
  readonly #gate: TurnGate;
  readonly #isResumed: boolean;
  #program: ClaudeProgram | undefined;
  #turn: ClaudeTurn | undefined;

  constructor(options: ClaudeProgramOptions) {
    const { spec, session, resume } = options.request;
    this.#options = options;
    this.#gate = new TurnGate({ agent: spec.id, session });
    this.#isResumed = resume !== undefined;
    this.id = resume ?? randomUUID();
  }

  async start(): Promise<void> {
    await this.#running(new AbortController().signal);
  }

  prompt(request: TurnRequest): ReturnType<AgentSession["prompt"]> {
    return this.#gate.run(request, (work) => this.#carryOut(work));
  }

  async steer(text: string): Promise<boolean> {
    return (await this.#turn?.steer(text)) ?? false;
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#endProgram();
  }

  async #carryOut(work: TurnWork): Promise<TerminalUpdate> {
    try {
      const program = await this.#running(work.signal);
      const { request: session, clock } = this.#options;
      this.#turn = createClaudeTurn({ work, program, session, clock });
      return await this.#turn.run();
    } finally {
      this.#turn = undefined;
      if (work.signal.aborted) await this.#endProgram();
    }
  }

  /** The program, started if there is none. */
  async #running(signal: AbortSignal): Promise<ClaudeProgram> {
    if (this.#program?.hasExited === false) return this.#program;
    await this.#endProgram();
    this.#program = await this.#started(signal);
    return this.#program;
  }

  async #started(signal: AbortSignal): Promise<ClaudeProgram> {
    const [id, options, isResumed] = [this.id, this.#options, this.#isResumed];
    if (isResumed || this.#program === undefined)
      return startClaudeProgram(options, { id, isResumed }, signal);
    try {
      return await startClaudeProgram(options, { id, isResumed: true }, signal);
    } catch (error) {
      // The one before ended before it had anything to remember.
      if (!(error instanceof TroupeError) || error.code !== sessionUnknown.code) throw error;
      return startClaudeProgram(options, { id, isResumed: false }, signal);
    }
  }

  async #endProgram(): Promise<void> {
    await this.#program?.end();
  }
}
