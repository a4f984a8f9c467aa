import { type AgentSpec, withoutDisallowed } from "../contracts/agent.ts";
import type { AgentBackend, AgentSession, SessionRequest } from "../contracts/backend.ts";
import type {
  ContextAccess,
  ContextMention,
  SessionToolCall,
} from "../contracts/context-access.ts";
import type { SessionRecord } from "../contracts/session-record.ts";
import type { TurnTerms } from "../contracts/turn-terms.ts";
import { warnOfCleanUp } from "../engine/clean-up.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { delay } from "../foundation/abort.ts";
import { TroupeError } from "../foundation/errors.ts";
import { present } from "../foundation/present.ts";
import { offerTo } from "./agent-requests.ts";
import type { SessionReach } from "./places/agent-place.ts";
import { confinedAccess, openAccess, sessionEnv, toAccessEnv } from "./session-env.ts";
import type { SessionPorts } from "./session-ports.ts";
import { createSessionRecord } from "./session-record.ts";
import { withinGrace } from "./stop-grace.ts";
import { specUnder } from "./turn-terms.ts";

/** What every backend raises that does not know the session it should go on with. */
const SESSION_UNKNOWN = "BACKEND_SESSION_UNKNOWN";

/** What every backend raises whose program ended by itself. */
const EXITED = "BACKEND_EXITED";

const OPENING_PAUSES_MS = [200, 1000] as const;

/** A session that is closed has been told to end from the start. */
const TOLD = AbortSignal.abort({ kind: "closing" });

/** Whose session this is and how it is opened. */
export interface BackendSessionOptions {
  readonly agent: AgentState;
  /** Unique in the run: `coder/main`, `coder/review`. */
  readonly name: string;
  readonly backend: AgentBackend;
  readonly ports: SessionPorts;
}

/** Why a session is followed by another one. */
export interface Replacement {
  readonly reason: "crashed" | "replaced";
  /** Whether the next one goes on with this one. */
  readonly mayResume: boolean;
  /** What the turn that it was in had done, for a session that remembers nothing of it. */
  readonly handOver: string | undefined;
}

/** A session of a backend, and the way in that its processes have while it lasts. */
interface OpenSession {
  readonly session: AgentSession;
  readonly access: ContextAccess | undefined;
}

/** The backend's side of a session: opened at its first turn, again after a crash, and closed. */
export class BackendSession {
  readonly #options: BackendSessionOptions;
  readonly #callTool: SessionToolCall;
  #open: OpenSession | undefined;
  /** The agent as the session was opened for it. */
  #spec: AgentSpec;
  #isJournaled = false;
  #mayResume = true;
  #hasMemory = false;

  /** `callTool`: what its processes ask for. */
  constructor(options: BackendSessionOptions, callTool: SessionToolCall) {
    this.#options = options;
    this.#callTool = callTool;
    this.#spec = options.agent.spec;
  }

  /**
   * The session for a turn under these terms, opened if need be: one that was opened under others goes on in another
   * process. Rejects with what `open` raises, or with the signal's reason.
   */
  async open(signal: AbortSignal, terms: TurnTerms): Promise<AgentSession> {
    const { agent, name, backend, ports } = this.#options;
    const { runtime } = ports;
    const spec = specUnder(agent, terms, backend);
    if (this.#open !== undefined && !isLike(spec, this.#spec)) await this.#leaveFor(this.#open);
    if (this.#open !== undefined) return this.#open.session;
    this.#spec = spec;
    this.#open = await this.#opened(signal);
    const { session } = this.#open;
    this.#isJournaled = true;
    const { resume } = session;
    const token = resume === undefined ? {} : { resume };
    runtime.append({ type: "agent-ready", agent: agent.id, session: name, ...token });
    // A session that cannot be gone on with is as good as none for whoever takes over.
    if (resume !== undefined) await runtime.flushed();
    return session;
  }

  /** Tells clients of the session that a message names the agent. */
  mention(mention: ContextMention): void {
    this.#open?.access?.mention(mention);
  }

  /** Whether the open session remembers what came before it in this one. */
  get hasMemory(): boolean {
    return this.#hasMemory;
  }

  /** A turn has come to its end: the open session remembers that and what was before. */
  remember(): void {
    this.#hasMemory = this.#open !== undefined;
  }

  /** What remembers nothing by itself is told what was said last. */
  async #leaveFor({ session }: OpenSession): Promise<void> {
    if (session.resume !== undefined) return this.letGo();
    const { lastText } = this.#options.agent;
    const handOver = lastText === undefined ? undefined : `You said last: ${lastText}`;
    await this.replace({ reason: "replaced", mayResume: false, handOver });
    this.#mayResume = true;
  }

  /** Ends the session; the next turn opens another. */
  async replace({ reason, mayResume, handOver }: Replacement): Promise<void> {
    this.#mayResume = mayResume;
    await this.letGo();
    this.#journalEnd(reason, handOver);
  }

  /** Ends the session for good. */
  async end(): Promise<void> {
    await this.letGo();
    this.#journalEnd("done");
  }

  /** Closes the session and all its processes; another process may go on with it. */
  async letGo(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { agent, name, ports } = this.#options;
    const { runtime } = ports;
    const closing = closeSession(open);
    try {
      await withinGrace(closing, TOLD, runtime.timers);
    } catch (error) {
      if (error !== TOLD.reason) throw error;
      // Its processes end with the run at the latest; the run must not wait for a backend that hangs.
      closing.catch((late: unknown) => this.#warnOf(late));
      const reason = `its backend did not close session "${name}" in time`;
      runtime.append({ type: "agent-status", agent: agent.id, status: "stuck", reason });
    }
  }

  #warnOf(error: unknown): void {
    const { agent, name, ports } = this.#options;
    const left = `session ${name} was not closed`;
    warnOfCleanUp(ports.runtime, { of: `sessions/${agent.id}`, left, error });
  }

  async #opened(signal: AbortSignal): Promise<OpenSession> {
    const { name, backend, ports } = this.#options;
    const { runtime } = ports;
    const access = await openAccess(ports, { spec: this.#spec, name, backend }, this.#callTool);
    const opening = this.#askPatiently(access, signal);
    try {
      return { session: await withinGrace(opening, signal, runtime.timers), access };
    } catch (error) {
      const warn = (error: unknown) => this.#warnOf(error);
      // A session that comes after all has nobody who would use it; one that does not come harms nobody.
      if (signal.aborted)
        opening.then(
          (late) => late.close().catch(warn),
          () => {},
        );
      await access?.close();
      throw error;
    }
  }

  /** A program that dies before it got a prompt has done nothing yet, so it is started again after a pause. */
  async #askPatiently(
    access: ContextAccess | undefined,
    signal: AbortSignal,
  ): Promise<AgentSession> {
    const { agent, ports } = this.#options;
    const { runtime } = ports;
    for (const delayMs of OPENING_PAUSES_MS) {
      try {
        return await this.#ask(access);
      } catch (error) {
        if (signal.aborted || !(error instanceof TroupeError) || error.code !== EXITED) throw error;
        const note = `opening/${agent.id}/${runtime.state.lastSeq}`;
        const text = `${error.message}; nothing had happened yet, so it is started again in ${delayMs} ms`;
        runtime.append({ type: "log", note, level: "warning", text });
      }
      await delay(runtime.timers, delayMs, signal);
    }
    return this.#ask(access);
  }

  /** Asks the backend for the session of before, if it still has that, else for a new one. */
  async #ask(access: ContextAccess | undefined): Promise<AgentSession> {
    const { agent, name, backend } = this.#options;
    const resume = this.#mayResume ? agent.sessions.get(name)?.resume : undefined;
    const request = await this.#request(access);
    this.#hasMemory = resume !== undefined;
    const anew = { ...request, record: this.#record(undefined) };
    if (resume === undefined) return backend.open(anew);
    try {
      return await backend.open({ ...request, resume, record: this.#record(resume) });
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code !== SESSION_UNKNOWN) throw error;
      this.#hasMemory = false;
      return backend.open(anew);
    }
  }

  #record(resume: string | undefined): SessionRecord {
    const { agent, name, ports } = this.#options;
    return createSessionRecord({
      runtime: ports.runtime,
      spec: this.#spec,
      session: name,
      last: resume === undefined ? undefined : agent.records.get(resume),
      priced: (usage) => ports.budget.priced(this.#spec, usage),
    });
  }

  async #request(access: ContextAccess | undefined): Promise<SessionRequest> {
    const { agent, name, backend, ports } = this.#options;
    const { runtime, host } = ports;
    const logFile = ports.files.logFile(agent.id);
    // What this process carries out itself writes nothing there.
    const directory = backend.runsInProcess === true ? undefined : ports.files.directory(agent.id);
    const { limits } = this.#spec;
    const place = await ports.agentPlaces?.open(agent, backend);
    const cwd = place?.cwd ?? this.#spec.cwd ?? runtime.state.run.cwd;
    const known =
      access !== undefined && place?.confine !== undefined ? confinedAccess(access) : access;
    const env = sessionEnv({ spec: this.#spec, backend, host }, toAccessEnv(known));
    const trustsProject = ports.means.trustsProject(this.#spec.backend, cwd);
    const signIn = backend.signIn?.(env);
    const confine = await place?.confine?.({
      ...(directory === undefined ? {} : { directory }),
      addresses: this.#addresses(access),
      ...(signIn?.by === "login" ? { login: signIn } : {}),
    });
    return {
      run: runtime.run,
      spec: withoutDisallowed(this.#spec),
      session: name,
      cwd,
      env,
      trustsProject,
      tools: () => ports.tools.describe(ports.tools.offered(offerTo(ports, this.#spec))),
      ...present({ access: known, logFile, directory, confine, limits }),
    };
  }

  /** What a confined session reaches: Troupe's tools and its model, wherever this machine's user has said that is. */
  #addresses(access: ContextAccess | undefined): SessionReach["addresses"] {
    const { backend, ports } = this.#options;
    // The workflow is not asked: it may say where the model is, but not what is let in.
    const { env: _env, envFrom: _envFrom, ...spec } = this.#spec;
    const env = sessionEnv({ spec, backend, host: ports.host });
    return {
      tools: access?.url === undefined ? [] : [access.url],
      model: backend.modelAddresses?.(env) ?? [],
    };
  }

  #journalEnd(reason: "done" | "crashed" | "replaced", handOver?: string): void {
    if (!this.#isJournaled) return;
    this.#isJournaled = false;
    const { agent, name, ports } = this.#options;
    const told = handOver === undefined ? {} : { handOver };
    ports.runtime.append({
      type: "session-ended",
      agent: agent.id,
      session: name,
      reason,
      ...told,
    });
  }
}

/** Whether what may differ between turns of one agent is the same. */
function isLike(left: AgentSpec, right: AgentSpec): boolean {
  const parts = ({ model, permissionMode, tools }: AgentSpec) =>
    JSON.stringify([model, permissionMode, tools]);
  return parts(left) === parts(right);
}

/** Ends a session and its way in: from the first moment on, its processes are nobody's. */
async function closeSession({ session, access }: OpenSession): Promise<void> {
  await Promise.all([access?.close(), session.close()]);
}
