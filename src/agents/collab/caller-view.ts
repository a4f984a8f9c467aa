import type {
  CloseAnswer,
  CollabAgent,
  CollabStatusName,
  ReachedAgent,
  WaitRequest,
} from "../../contracts/collab.ts";
import type { CollabEnded } from "../../contracts/events/collab-events.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { collabStatusOf, isFinalStatus } from "../../fold/collab-status.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { CollabCaller } from "../collab-door.ts";
import { collabNotFound } from "./errors.ts";
import { tellStatus } from "./parent-notices.ts";
import { allReached, findReached } from "./reach.ts";

/** The agents of a run as the agent of one turn sees them: those in its reach, and nothing of others. */
export class CallerView {
  readonly #runtime: RunRuntime;
  readonly #caller: CollabCaller;

  constructor(runtime: RunRuntime, caller: CollabCaller) {
    this.#runtime = runtime;
    this.#caller = caller;
  }

  get state(): RunState {
    return this.#runtime.state;
  }

  /** The caller itself. */
  get self(): AgentState {
    return this.known(this.#caller.agent);
  }

  /** An agent of the run, in reach or not. Raises COLLAB_NOT_FOUND. */
  known(id: string): AgentState {
    const agent = findAgent(this.state, id);
    if (agent === undefined) throw this.#notFound(id);
    return agent;
  }

  /** Raises COLLAB_NOT_FOUND for all that the caller does not reach. */
  find(id: string): AgentState {
    const agent = findReached(this.state, this.#caller.agent, id);
    if (agent === undefined) throw this.#notFound(id);
    return agent;
  }

  /** All in reach, in the order of spawning. */
  list(): readonly ReachedAgent[] {
    return allReached(this.state, this.#caller.agent).map((agent) => ({
      ...this.describe(agent),
      parent: agent.spec.spawnedBy ?? agent.spec.reportsTo ?? this.#caller.agent,
      backend: agent.backend,
    }));
  }

  /** An agent as it is now. */
  describe({ id }: Pick<AgentState, "id">): CollabAgent {
    const { spec } = this.known(id);
    return { id, name: spec.name ?? id, status: this.status(id) };
  }

  /** The name of a status; `not_found` for all that the caller does not reach. */
  status(id: string): CollabStatusName {
    const agent = findReached(this.state, this.#caller.agent, id);
    return agent === undefined ? "not_found" : collabStatusOf(this.state, agent).status;
  }

  /** A status for an answer: what it tells of an ending is told. */
  told(id: string): CloseAnswer["previous"] {
    const agent = findReached(this.state, this.#caller.agent, id);
    if (agent === undefined) return { status: "not_found" };
    return tellStatus(this.#runtime, this.#caller, agent);
  }

  /** The ids of those in reach. */
  idsOf(names: readonly string[]): readonly string[] {
    return names.flatMap((name) => findReached(this.state, this.#caller.agent, name)?.id ?? []);
  }

  /** The statuses of those in reach, as the journal has them. */
  statusesOf(names: readonly string[]): Pick<CollabEnded, "agents" | "statuses"> {
    const agents = this.idsOf(names);
    return { agents, statuses: Object.fromEntries(agents.map((id) => [id, this.status(id)])) };
  }

  /** Whether there is nothing more to wait for. */
  areFinal(ids: readonly string[], mode: WaitRequest["mode"]): boolean {
    const isFinal = (id: string) => isFinalStatus(this.status(id));
    return mode === "all" ? ids.every(isFinal) : ids.some(isFinal);
  }

  #notFound(id: string): Error {
    const known = allReached(this.state, this.#caller.agent).map((agent) => agent.id);
    return collabNotFound({ agent: id, known });
  }
}
