import { z } from "zod";
import type { AgentHandle, AgentSpec } from "../contracts/agent.ts";
import type { AgentBackend, BackendShelf } from "../contracts/backend.ts";
import type { AgentExited, ContinuedSession } from "../contracts/events/agent-events.ts";
import type { OperationCall } from "../contracts/operation.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { agentKey, ancestorsOf, findAgent } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { tellExit } from "../messaging/tell-shadows.ts";
import { agentSpecSchema } from "./agent-spec-schema.ts";
import type { DeedLimits } from "./budget/deed-limits.ts";
import {
  agentExists,
  agentGone,
  agentUnknown,
  limitDepth,
  limitRunning,
  limitTotal,
  shadowInvalid,
} from "./errors.ts";

// Owns who comes and goes: what an agent that joins must be, and how its joining and its exit are written down. What
// agents do meanwhile is the supervisor's.

/** An agent that spawns without end would fill the machine, and each may cost money. */
const DEFAULT_MAX_SPAWNED = 16;

/** How many agents a run may have. Absent members do not limit. */
export interface SpawnLimits {
  /** Live ones at a time. Absent: 16 that agents have spawned, and of others as many as a workflow names. */
  readonly maxAgents?: number;
  /** In the whole life of the run. */
  readonly maxTotal?: number;
  /** Levels of agents that agents have spawned. Defaults to 1. */
  readonly maxDepth?: number;
}

/** The limits of a run with the agents that live in other runs of its tree, as people know them. */
export interface SpawnBounds extends SpawnLimits {
  readonly others?: readonly string[];
}

/** Which agents there can be. */
export interface Spawning {
  readonly backends: BackendShelf;
  readonly limits: SpawnLimits;
  /** Agents that live in other runs of the tree, which share the limit of live ones. */
  readonly others: () => readonly string[];
}

/** What decides who may join. */
export interface RosterOptions {
  readonly spawning: Spawning;
  readonly deeds: Pick<DeedLimits, "maySpawn">;
  /** Makes the place of an agent's work; the directory. Raises what opening a place raises. */
  readonly place: (agent: AgentState, backend: AgentBackend) => Promise<string>;
}

const spawnInput = z.object({
  spec: agentSpecSchema,
  isShared: z.boolean().exactOptional(),
  isPlaced: z.literal(true).exactOptional(),
});

/** The agents of a run. */
export class AgentRoster {
  readonly #runtime: RunRuntime;
  readonly #options: RosterOptions;

  constructor(runtime: RunRuntime, options: RosterOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  /** Carries out the operation `spawn`. */
  spawn(input: Json, call: OperationCall): Json | Promise<Json> {
    const { spec: given, isShared = false, isPlaced = false } = spawnInput.parse(input);
    const { backends } = this.#options.spawning;
    if (backends.find(given.backend) === undefined)
      return backends.load(given.backend).then(() => this.spawn(input, call));
    // An owner may have died while it made the place.
    const isKnown = isShared || isPlaced;
    const known = isKnown ? findAgent(this.#runtime.state, given.id) : undefined;
    // Whoever an agent has spawned is none of those that the workflow means.
    if (known !== undefined && known.spec.spawnedBy === undefined)
      return isPlaced ? this.#placed(known.spec) : this.#handleOf(known.spec);
    // Whoever follows somebody has to remember what it saw.
    const spec: AgentSpec = given.shadow === undefined ? given : { ...given, session: "keep" };
    // The run ends at its limit; the operation stays open and is carried out when the run goes on.
    if (!this.hire(spec)) return rejectOnAbort(call.signal).promise;
    return isPlaced ? this.#placed(spec) : this.#handleOf(spec);
  }

  /**
   * Lets an agent whose backend is loaded take part, for the first time or again; false when a limit of the run holds
   * it back. Raises AGENT_EXISTS, AGENT_LIMIT_*, AGENT_SHADOW_INVALID, LIMIT_AGENTS.
   */
  hire(spec: AgentSpec, continues?: ContinuedSession): boolean {
    assertMayShadow(this.#runtime.state, spec);
    const { spawning, deeds } = this.#options;
    const others = spawning.others();
    assertMaySpawn(this.#runtime.state, spec, { ...spawning.limits, others });
    if (!deeds.maySpawn(spec)) return false;
    const backend = this.backendOf(spec);
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

  /** Writes down that an agent is gone, and tells whoever watches it. */
  exit(exited: Omit<AgentExited, "type">): void {
    const event = this.#runtime.append({ type: "agent-exited", ...exited });
    if (event.type === "agent-exited") tellExit(this.#runtime, event);
  }

  /** Raises AGENT_UNKNOWN. */
  known(id: string): AgentState {
    const agent = findAgent(this.#runtime.state, id);
    if (agent !== undefined) return agent;
    throw agentUnknown({ agent: id, known: [...this.#runtime.state.agents.keys()] });
  }

  /** An agent that takes part. Raises AGENT_UNKNOWN, AGENT_GONE. */
  living(id: string): AgentState {
    const agent = this.known(id);
    if (agent.status !== "exited") return agent;
    throw agentGone({ agent: id, reason: agent.exit?.reason ?? "exited" });
  }

  /** The backend of an agent, which is loaded. */
  backendOf({ backend }: Pick<AgentSpec, "backend">): AgentBackend {
    const found = this.#options.spawning.backends.find(backend);
    if (found === undefined) throw new Error(`backend "${backend}" is used before it is loaded`);
    return found;
  }

  async #placed(spec: AgentSpec): Promise<Json> {
    const agent = this.living(spec.id);
    return this.#handleOf(spec, await this.#options.place(agent, this.backendOf(spec)));
  }

  #handleOf(spec: AgentSpec, directory?: string): Json {
    const { id, name = id, backend } = spec;
    const { conventions, demandsSignal } = this.backendOf(spec);
    const handle: AgentHandle = {
      id,
      name,
      backend,
      conventions,
      demandsSignal: spec.demandsSignal ?? demandsSignal,
      ...present({ toolPrefix: this.#toolPrefixOf(spec), directory }),
      ...(this.#isApart(spec) ? { isApart: true } : {}),
    };
    return toJson(handle, "an agent's handle");
  }

  #isApart({ isolation, cwd }: AgentSpec): boolean {
    const { run } = this.#runtime.state;
    return isolation === "worktree" || (cwd !== undefined && cwd !== run.cwd);
  }

  /** What it is told of the names of Troupe's tools; undefined: nothing. */
  #toolPrefixOf(spec: AgentSpec): string | undefined {
    const { conventions, toolPrefix } = this.backendOf(spec);
    const spawns = spec.spawns === true;
    if (conventions === "none" || (conventions === "text" && !spawns)) return undefined;
    return toolPrefix ?? (spawns ? "" : undefined);
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

/**
 * Whether an agent may get a slot; the slot is taken by `agent-spawned` and freed by `agent-exited`.
 * Raises AGENT_EXISTS, AGENT_LIMIT_RUNNING, AGENT_LIMIT_TOTAL, AGENT_LIMIT_DEPTH.
 */
function assertMaySpawn(state: RunState, spec: AgentSpec, limits: SpawnBounds): void {
  const existing = findAgent(state, spec.id);
  if (existing !== undefined && existing.status !== "exited") throw agentExists({ agent: spec.id });
  const { maxAgents, maxTotal, maxDepth = 1, others = [] } = limits;
  const isNew = existing === undefined;
  if (maxTotal !== undefined && isNew && state.agents.size >= maxTotal) {
    throw limitTotal({ agent: spec.id, limit: maxTotal, holders: [...state.agents.keys()] });
  }
  assertRunning(state, spec, { maxAgents, others });
  const ancestors = ancestorsOf(state, spec);
  if (ancestors.length > maxDepth)
    throw limitDepth({ agent: spec.id, limit: maxDepth, holders: ancestors });
}

function assertRunning(
  state: RunState,
  spec: AgentSpec,
  {
    maxAgents,
    others,
  }: { readonly maxAgents: number | undefined; readonly others: readonly string[] },
): void {
  if (maxAgents === undefined && spec.spawnedBy === undefined) return;
  const live = [...state.agents.values()].filter((agent) => agent.status !== "exited");
  if (maxAgents !== undefined)
    assertRoom(spec, [...live.map(({ id }) => id), ...others], maxAgents);
  else {
    const spawned = live.filter((agent) => agent.spec.spawnedBy !== undefined);
    assertRoom(
      spec,
      spawned.map(({ id }) => id),
      DEFAULT_MAX_SPAWNED,
    );
  }
}

function assertRoom({ id: agent }: AgentSpec, holders: readonly string[], limit: number): void {
  if (holders.length >= limit) throw limitRunning({ agent, limit, holders });
}
