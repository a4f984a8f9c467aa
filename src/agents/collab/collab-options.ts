import type { AgentSpec } from "../../contracts/agent.ts";
import type { BackendShelf } from "../../contracts/backend.ts";
import type { ContinuedSession } from "../../contracts/events/agent-events.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import type { SpawnLimits } from "../agent-roster.ts";
import type { DeedLimits } from "../budget/deed-limits.ts";
import type { ChildKind } from "./child-spec.ts";
import type { WaitBounds } from "./wait-until.ts";

/** What kinds of agents there are, and which names and backends agents may not choose. */
export interface ChildKinds {
  /** A role or an agent type, by default the role `worker`. Rejects with COLLAB_KIND_UNKNOWN, AGENT_TYPE_* errors. */
  find(asked: { readonly role?: string; readonly type?: string }): Promise<ChildKind>;
  /** Whether the workflow itself has, or will have, an agent of this name. */
  isReserved(id: string): boolean;
  /** Backends that an agent may choose beside its own. */
  backends(): readonly string[];
}

/** Who carries out what is asked for. */
export interface CollabStaff {
  /** See Supervisor.hire. */
  hire(spec: AgentSpec, continues?: ContinuedSession): boolean;
  /** See Supervisor.dismiss. */
  dismiss(id: string, reason: string, patienceMs: number): Promise<void>;
  /** Whether an agent is being ended. */
  isLeaving(id: string): boolean;
}

/** What agents of one run need to deal with agents of their own. */
export interface CollabOptions {
  readonly runtime: RunRuntime;
  readonly mainChannel: string;
  readonly budget: Pick<DeedLimits, "assertMayPost" | "assertMaySpawnIn">;
  readonly limits: SpawnLimits;
  readonly kinds: ChildKinds;
  readonly waits: WaitBounds;
  readonly staff: CollabStaff;
  readonly backends: BackendShelf;
  /** Names of the tools that are for agents that spawn others. */
  readonly tools: readonly string[];
}
