import { z } from "zod";
import type { AgentHandle, AgentSpec } from "../contracts/agent.ts";
import type { AgentBackend, BackendShelf } from "../contracts/backend.ts";
import type { AgentExited, ContinuedSession } from "../contracts/events/agent-events.ts";
import type { OperationCall, OperationHandler, StopRequest } from "../contracts/operation.ts";
import type { TurnResult } from "../contracts/ports/context.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { agentKey, findAgent } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { delay, rejectOnAbort } from "../foundation/abort.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { tellExit } from "../messaging/tell-shadows.ts";
import { agentSpecSchema } from "./agent-spec-schema.ts";
import { AgentWaker } from "./agent-waker.ts";
import { agentGone, agentUnknown, shadowInvalid, shadowPrompted } from "./errors.ts";
import { LiveSession } from "./live-session.ts";
import { quiescentHandler, wokenHandler } from "./quiescence.ts";
import { SessionDirectory } from "./session-directory.ts";
import type { SessionPorts } from "./session-ports.ts";
import { assertMaySpawn, type SpawnLimits } from "./spawn-limits.ts";
import { parseTurnInput } from "./turn-prompt.ts";

// Owns the live sessions of a run's agents. Who takes part is the fold: spawned minus exited.
// A1: a session begins at its first turn and ends with the scope that asked for it, with its agent, or
//     with this process; `session: keep` keeps one for the agent's whole life.
// A2: after a crash the turns that ran are marked interrupted before anything starts again.
// A3: when the run ends every agent has exited and no session is left.

/** What the supervisor needs beside its run. */
export interface SupervisorOptions {
  readonly ports: SessionPorts;
  readonly spawning: Spawning;
}

/** Which agents there can be. */
export interface Spawning {
  readonly backends: BackendShelf;
  readonly limits: SpawnLimits;
  /** Agents that live in other runs of the tree, which share the limit of live ones. */
  readonly others: () => readonly string[];
}

const spawnInput = z.object({ spec: agentSpecSchema, isShared: z.boolean().exactOptional() });
const agentInput = z.object({ agent: z.string(), reason: z.string().exactOptional() });

/** Carries out the operations on agents and keeps their sessions. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #runtime: RunRuntime;
  readonly #sessions = new SessionDirectory();
  readonly #waker: AgentWaker;
  readonly #leaving = new Set<string>();
  readonly #stopping = new AbortController();
  #isLive = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#runtime = options.ports.runtime;
    this.#waker = new AgentWaker({
      runtime: this.#runtime,
      sessions: this.#sessions,
      keptSession: (agent) => this.#sessionFor(agent, ""),
      isLeaving: (agent) => this.#leaving.has(agent),
      tellsMentions: options.ports.means.contextDoor !== undefined,
    });
    for (const handler of this.#handlers()) this.#runtime.register(handler);
    this.#runtime.onLive(() => this.#recover());
    this.#runtime.onScopeOver((path) =>
      this.#closeLater(this.#sessions.takeScope(path), {
        kind: "cancelled",
        reason: "its step is over",
      }),
    );
    this.#runtime.onStopping((stop) => {
      this.#stopping.abort();
      if (stop === "ended") return this.#endAll();
      return this.#sessions.close(this.#sessions.all(), { kind: "suspended" });
    });
    this.#runtime.onAppended((event) => {
      // Before that, whatever comes in waits: `recover` must find only what the last owner left.
      if (this.#isLive) this.#waker.take(event);
    });
  }

  /**
   * Ends an agent because somebody outside wants it: it takes nothing new, and what it works on may end by
   * itself within `patienceMs`. Whoever is being ended already is hurried, not ended twice.
   */
  async dismiss(id: string, reason: string, patienceMs: number): Promise<void> {
    const agent = findAgent(this.#runtime.state, id);
    if (agent === undefined || agent.status === "exited") return;
    this.#leaving.add(agent.id);
    if (patienceMs > 0) await this.#finishTurns(agent.id, patienceMs);
    await this.#sessions.close(this.#sessions.ofAgent(agent.id), { kind: "cancelled", reason });
    if (!this.#stopping.signal.aborted) this.#exit(agent.id);
  }

  async #finishTurns(agent: string, patienceMs: number): Promise<void> {
    const over = new AbortController();
    const retired = this.#sessions.ofAgent(agent).map((session) => session.retire());
    const { signal } = over;
    // Aborted below: whoever wins the race ends the other's wait.
    const patience = delay(this.#runtime.timers, patienceMs, signal).catch(() => {});
    await Promise.race([Promise.all(retired), patience]);
    over.abort();
  }

  /** Nobody waits for what the agent was doing, so its end is what tells. */
  #giveUp(agent: string, error: ErrorReport): void {
    this.#journalExit({ agent, reason: "failed", error });
    const stop: StopRequest = { kind: "cancelled", reason: "its agent gave up" };
    this.#closeLater(this.#sessions.ofAgent(agent), stop);
  }

  #exit(agent: string): void {
    this.#leaving.delete(agent);
    if (findAgent(this.#runtime.state, agent)?.status === "exited") return;
    this.#journalExit({ agent, reason: "released" });
  }

  #journalExit(exited: Omit<AgentExited, "type">): void {
    const event = this.#runtime.append({ type: "agent-exited", ...exited });
    if (event.type === "agent-exited") tellExit(this.#runtime, event);
  }

  #handlers(): readonly OperationHandler[] {
    return [
      { kind: "spawn", effect: "journal", execute: (input, call) => this.#spawn(input, call) },
      { kind: "turn", effect: "guarded", execute: (input, call) => this.#turn(input, call) },
      { kind: "interrupt", effect: "world", execute: (input) => this.#interrupt(input) },
      { kind: "release", effect: "world", execute: (input) => this.#release(input) },
      quiescentHandler(this.#runtime),
      wokenHandler(this.#runtime),
    ];
  }

  #spawn(input: Json, call: OperationCall): Json | Promise<Json> {
    const { spec: given, isShared = false } = spawnInput.parse(input);
    const { backends } = this.#options.spawning;
    if (backends.find(given.backend) === undefined)
      return backends.load(given.backend).then(() => this.#spawn(input, call));
    const known = isShared ? findAgent(this.#runtime.state, given.id) : undefined;
    // Whoever an agent has spawned is none of those that the workflow means.
    if (known !== undefined && known.spec.spawnedBy === undefined)
      return this.#handleOf(known.spec);
    // Whoever follows somebody has to remember what it saw.
    const spec: AgentSpec = given.shadow === undefined ? given : { ...given, session: "keep" };
    // The run ends at its limit; the operation stays open and is carried out when the run goes on.
    if (!this.hire(spec)) return rejectOnAbort(call.signal).promise;
    return this.#handleOf(spec);
  }

  /**
   * Lets an agent whose backend is loaded take part, for the first time or again; false when a limit of the run holds
   * it back. Raises AGENT_EXISTS, AGENT_LIMIT_*, AGENT_SHADOW_INVALID, LIMIT_AGENTS.
   */
  hire(spec: AgentSpec, continues?: ContinuedSession): boolean {
    assertMayShadow(this.#runtime.state, spec);
    const { spawning } = this.#options;
    const others = spawning.others();
    assertMaySpawn(this.#runtime.state, spec, { ...spawning.limits, others });
    if (!this.#options.ports.budget.deeds.maySpawn(spec)) return false;
    const backend = this.#backendOf(spec);
    const isMetered = backend.metering === "exact" || backend.metering === "free";
    this.#runtime.append({
      type: "agent-spawned",
      agent: spec.id,
      backend: spec.backend,
      spec,
      ...(isMetered ? {} : { untold: "unknown" }),
      ...(continues === undefined ? {} : { continues }),
    });
    return true;
  }

  /** Whether an agent is being ended. */
  isLeaving(id: string): boolean {
    return this.#leaving.has(id);
  }

  #handleOf(spec: AgentSpec): Json {
    const { id, name = id, backend } = spec;
    const { conventions, demandsSignal } = this.#backendOf(spec);
    const handle: AgentHandle = {
      id,
      name,
      backend,
      conventions,
      demandsSignal: spec.demandsSignal ?? demandsSignal,
    };
    return toJson(handle, "an agent's handle");
  }

  #backendOf({ backend }: Pick<AgentSpec, "backend">): AgentBackend {
    const found = this.#options.spawning.backends.find(backend);
    if (found === undefined) throw new Error(`backend "${backend}" is used before it is loaded`);
    return found;
  }

  async #turn(input: Json, call: OperationCall): Promise<Json> {
    const turn = parseTurnInput(input);
    const agent = this.#liveAgent(turn.agent);
    const { shadow } = agent.spec;
    if (shadow !== undefined) throw shadowPrompted({ agent: agent.id, of: shadow.of });
    // One that could not be loaded when the run went on says why.
    const { backends } = this.#options.spawning;
    if (backends.find(agent.backend) === undefined) await backends.load(agent.backend);
    const session = this.#sessionFor(agent, turn.session ?? call.scope);
    const { promise, resolve, reject } = Promise.withResolvers<TurnResult>();
    session.prompt({
      op: call.op,
      key: call.key,
      input: turn,
      signal: call.signal,
      resolve,
      reject,
    });
    return promise.then((result) => toJson(result, "the result of a turn"));
  }

  #interrupt(input: Json): Json {
    const agent = this.#liveAgent(agentInput.parse(input).agent);
    const { status } = agent;
    for (const session of this.#sessions.ofAgent(agent.id))
      session.interrupt({ kind: "interrupted" });
    return status;
  }

  async #release(input: Json): Promise<Json> {
    const { agent: id, reason = "released" } = agentInput.parse(input);
    const agent = findAgent(this.#runtime.state, id);
    if (agent === undefined)
      throw agentUnknown({ agent: id, known: [...this.#runtime.state.agents.keys()] });
    const { status } = agent;
    if (status === "exited") return status;
    await this.#sessions.close(this.#sessions.ofAgent(agent.id), { kind: "cancelled", reason });
    this.#exit(agent.id);
    return status;
  }

  #liveAgent(id: string): AgentState {
    const agent = findAgent(this.#runtime.state, id);
    if (agent === undefined)
      throw agentUnknown({ agent: id, known: [...this.#runtime.state.agents.keys()] });
    if (agent.status === "exited")
      throw agentGone({ agent: id, reason: agent.exit?.reason ?? "exited" });
    if (this.#leaving.has(agent.id)) throw agentGone({ agent: id, reason: "being stopped" });
    return agent;
  }

  #sessionFor(agent: AgentState, scope: string): LiveSession {
    const isKept = agent.spec.session === "keep";
    const name = isKept || scope === "" ? `${agent.id}/main` : `${agent.id}/${scope}`;
    const known = this.#sessions.find(name);
    if (known !== undefined) return known;
    const session = new LiveSession({
      agent,
      name,
      backend: this.#backendOf(agent),
      ports: this.#options.ports,
      wakes: isKept,
      onGivenUp: (error) => this.#giveUp(agent.id, error),
    });
    this.#sessions.add(session, { agent: agent.id, scope: isKept ? undefined : scope });
    return session;
  }

  /** Marks the turns that a dead owner left behind, and wakes whoever has something waiting. */
  #recover(): void {
    this.#isLive = true;
    for (const agent of this.#runtime.state.agents.values()) {
      for (const { turn, answered } of [...agent.turns.values()]) {
        this.#runtime.append({
          type: "turn-interrupted",
          agent: agent.id,
          turn,
          reason: "owner-died",
          ...(Object.keys(answered).length === 0 ? {} : { usage: answered }),
        });
      }
      if (agent.spec.session === "keep") this.#waker.wake(agent);
    }
  }

  /** Closes sessions whose end nobody waits for. */
  #closeLater(sessions: readonly LiveSession[], stop: StopRequest): void {
    // The run waits for this at its end; a failure to end processes stops it.
    this.#sessions.close(sessions, stop).catch((error: unknown) => this.#runtime.fail(error));
  }

  async #endAll(): Promise<void> {
    await this.#sessions.close(this.#sessions.all(), {
      kind: "cancelled",
      reason: "the run is over",
    });
    await this.#options.ports.agentPlaces?.settle();
    const reason = this.#runtime.state.cancellation === undefined ? "released" : "cancelled";
    for (const agent of this.#runtime.state.agents.values()) {
      if (agent.status !== "exited")
        this.#runtime.append({ type: "agent-exited", agent: agent.id, reason });
    }
  }
}

/** Whether an agent may watch the one that it names, if it names one. Raises AGENT_SHADOW_INVALID. */
function assertMayShadow(state: RunState, { id, shadow }: AgentSpec): void {
  if (shadow === undefined) return;
  const refuse = (problem: string) => shadowInvalid({ agent: id, of: shadow.of, problem });
  if (agentKey(shadow.of) === agentKey(id)) throw refuse("which is itself");
  const watched = findAgent(state, shadow.of);
  if (watched === undefined) throw refuse("which takes no part in this run yet");
  if (watched.spec.shadow !== undefined) throw refuse("which is a shadow too");
}
