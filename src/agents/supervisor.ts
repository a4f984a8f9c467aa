import { z } from "zod";
import type { AgentSpec, AgentStatus } from "../contracts/agent.ts";
import type { ContinuedSession } from "../contracts/events/agent-events.ts";
import type { OperationCall, OperationHandler, StopRequest } from "../contracts/operation.ts";
import type { TurnResult } from "../contracts/ports/context.ts";
import { warnOfCleanUp } from "../engine/clean-up.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { delay } from "../foundation/abort.ts";
import { type ErrorReport, TroupeError } from "../foundation/errors.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { AgentRoster, type Spawning } from "./agent-roster.ts";
import { AgentWaker } from "./agent-waker.ts";
import { agentGone, shadowPrompted } from "./errors.ts";
import { LiveSession } from "./live-session.ts";
import { worktreeFailed, worktreeImpossible } from "./places/errors.ts";
import { hasBackgroundWork, quiescentHandler, wokenHandler } from "./quiescence.ts";
import { SessionDirectory } from "./session-directory.ts";
import type { SessionPorts } from "./session-ports.ts";
import { parseTurnInput } from "./turn-prompt.ts";
import { createWorkPlaces } from "./work-places.ts";

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

const agentInput = z.object({ agent: z.string(), reason: z.string().exactOptional() });

/** Carries out the operations on agents and keeps their sessions. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #runtime: RunRuntime;
  readonly #roster: AgentRoster;
  readonly #sessions = new SessionDirectory();
  readonly #waker: AgentWaker;
  readonly #leaving = new Set<string>();
  readonly #stopping = new AbortController();
  #isLive = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#runtime = options.ports.runtime;
    this.#roster = new AgentRoster(this.#runtime, {
      spawning: options.spawning,
      deeds: options.ports.budget.deeds,
      place: async (agent, backend) => {
        const { agentPlaces } = options.ports;
        if (agentPlaces === undefined) return agent.spec.cwd ?? this.#runtime.state.run.cwd;
        try {
          return (await agentPlaces.open(agent, backend)).cwd;
        } catch (error) {
          // The turns of the agent say so, each on its own: others take part without it.
          if (!isPlaceFailure(error)) throw error;
          return agentPlaces.intended(agent);
        }
      },
    });
    this.#waker = new AgentWaker({
      runtime: this.#runtime,
      sessions: this.#sessions,
      keptSession: (agent) => this.#sessionFor(agent, ""),
      isLeaving: (agent) => this.#leaving.has(agent),
      tellsMentions: options.ports.means.contextDoor !== undefined,
    });
    this.#runtime.locateWork(
      createWorkPlaces({
        ...{ runtime: this.#runtime, roster: this.#roster },
        ...{ backends: options.spawning.backends, agentPlaces: options.ports.agentPlaces },
      }),
    );
    for (const handler of this.#handlers()) this.#runtime.register(handler);
    this.#runtime.onLive(() => this.#recover());
    this.#runtime.onScopeOver((path) =>
      this.#closeLater(this.#sessions.takeScope(path), {
        kind: "cancelled",
        reason: "its step is over",
      }),
    );
    this.#runtime.holdOpen(() => hasBackgroundWork(this.#runtime.state));
    this.#runtime.onStopping((stop) => {
      this.#stopping.abort();
      if (stop === "ended") return this.#endAll();
      return this.#close(this.#sessions.all(), { kind: "suspended" });
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
    await this.#close(this.#sessions.ofAgent(agent.id), { kind: "cancelled", reason });
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
    this.#roster.exit({ agent, reason: "failed", error });
    const stop: StopRequest = { kind: "cancelled", reason: "its agent gave up" };
    this.#closeLater(this.#sessions.ofAgent(agent), stop);
  }

  #exit(agent: string): void {
    this.#leaving.delete(agent);
    if (findAgent(this.#runtime.state, agent)?.status === "exited") return;
    this.#roster.exit({ agent, reason: "released" });
  }

  #liveAgent(id: string): AgentState {
    const agent = this.#roster.living(id);
    if (this.#leaving.has(agent.id)) throw agentGone({ agent: id, reason: "being stopped" });
    return agent;
  }

  #handlers(): readonly OperationHandler[] {
    return [
      {
        kind: "spawn",
        effect: "journal",
        execute: (input, call) => this.#roster.spawn(input, call),
      },
      { kind: "turn", effect: "guarded", execute: (input, call) => this.#turn(input, call) },
      {
        kind: "interrupt",
        effect: "world",
        execute: (input) => this.interrupt(agentInput.parse(input).agent),
      },
      { kind: "release", effect: "world", execute: (input) => this.#release(input) },
      { kind: "answer", effect: "journal", execute: (input) => this.#answer(input) },
      quiescentHandler(this.#runtime),
      wokenHandler(this.#runtime),
    ];
  }

  /** Loaded with the first answer: programs of most runs give none. */
  async #answer(input: Json): Promise<Json> {
    const { closeCall } = await import("./program-calls.ts");
    return closeCall(this.#runtime, input);
  }

  /** See AgentRoster.hire. */
  hire(spec: AgentSpec, continues?: ContinuedSession): boolean {
    return this.#roster.hire(spec, continues);
  }

  /** Whether an agent is being ended. */
  isLeaving(id: string): boolean {
    return this.#leaving.has(id);
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

  /**
   * Cuts off what an agent does now; its status before. What a turn had been told comes again with the next one, unless it
   * is forgotten. Raises AGENT_UNKNOWN, AGENT_GONE.
   */
  interrupt(id: string, stop: { readonly isForgotten?: true } = {}): AgentStatus {
    const agent = this.#liveAgent(id);
    const { status } = agent;
    for (const session of this.#sessions.ofAgent(agent.id))
      session.interrupt({ kind: "interrupted", ...stop });
    return status;
  }

  /**
   * Lets an agent begin anew: written down first, so that no later owner goes on with its sessions either. What it
   * works on comes again on a fresh session. Raises AGENT_UNKNOWN, AGENT_GONE.
   */
  restart(id: string, by: string): void {
    const agent = this.#liveAgent(id);
    this.#runtime.append({ type: "agent-restarted", agent: agent.id, by });
    for (const session of this.#sessions.ofAgent(agent.id)) session.restart();
  }

  async #release(input: Json): Promise<Json> {
    const { agent: id, reason = "released" } = agentInput.parse(input);
    const agent = this.#roster.known(id);
    const { status } = agent;
    if (status === "exited") return status;
    await this.#close(this.#sessions.ofAgent(agent.id), { kind: "cancelled", reason });
    this.#exit(agent.id);
    return status;
  }

  #sessionFor(agent: AgentState, scope: string): LiveSession {
    const isKept = agent.spec.session === "keep";
    const name = isKept || scope === "" ? `${agent.id}/main` : `${agent.id}/${scope}`;
    const known = this.#sessions.find(name);
    if (known !== undefined) return known;
    const session = new LiveSession({
      agent,
      name,
      backend: this.#roster.backendOf(agent),
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
    // It never rejects, and the run waits for this at its end.
    void this.#close(sessions, stop);
  }

  /** Closes sessions. One that cannot be closed is a warning of the run. */
  async #close(sessions: readonly LiveSession[], stop: StopRequest): Promise<void> {
    try {
      await this.#sessions.close(sessions, stop);
    } catch (error) {
      const left = "a session of an agent was not closed";
      warnOfCleanUp(this.#runtime, { of: "sessions", left, error });
    }
  }

  async #endAll(): Promise<void> {
    await this.#close(this.#sessions.all(), { kind: "cancelled", reason: "the run is over" });
    await this.#options.ports.agentPlaces?.settle();
    const reason = this.#runtime.state.cancellation === undefined ? "released" : "cancelled";
    for (const agent of this.#runtime.state.agents.values()) {
      if (agent.status !== "exited")
        this.#runtime.append({ type: "agent-exited", agent: agent.id, reason });
    }
  }
}

function isPlaceFailure(error: unknown): boolean {
  const codes: readonly string[] = [worktreeFailed.code, worktreeImpossible.code];
  return error instanceof TroupeError && codes.includes(error.code);
}
