import type { AgentBackend, StoredLogin } from "../../contracts/backend.ts";
import type { LeftWorktree } from "../../contracts/events/reuse.ts";
import type { Confinement } from "../../contracts/host.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { RunRecord } from "../../fold/state/run-record.ts";
import type { ErrorReport } from "../../foundation/errors.ts";

/** What a session of a confined agent has to reach beyond its place. */
export interface SessionReach {
  /** Directory of the agent alone. */
  readonly directory?: string;
  /** URLs and hosts: of Troupe's tools, and of its model. */
  readonly addresses: { readonly tools: readonly string[]; readonly model: readonly string[] };
  /** What its program keeps of who is signed in. */
  readonly login?: StoredLogin;
}

/** Where an agent works. */
export interface AgentPlace {
  /** Absolute directory. */
  readonly cwd: string;
  /** The bounds of its processes; absent without a sandbox. */
  confine?(reach: SessionReach): Promise<Confinement>;
}

/** Watches a turn from before its beginning. */
export interface TurnWatch {
  /** Journals what the turn has done beyond its bounds; resolves with the error that it failed with, if it did. */
  end(turn: number): Promise<ErrorReport | undefined>;
}

/** The places of a run's agents (AGT-13). */
export interface AgentPlaces {
  /**
   * Where the agent works, made when it is asked for first. Raises AGENT_WORKTREE_IMPOSSIBLE, AGENT_WORKTREE_FAILED,
   * AGENT_SANDBOX_IMPOSSIBLE.
   */
  open(agent: AgentState, backend: AgentBackend): Promise<AgentPlace>;
  /** The directory that `open` would make for the agent, whether or not it can. */
  intended(agent: AgentState): string;
  /**
   * Looks at the agent's place before a turn; undefined where nothing needs to be watched. Raises
   * AGENT_CONSTRAINT_UNVERIFIABLE and HOST_GIT_FAILED.
   */
  watch(agent: AgentState): Promise<TurnWatch | undefined>;
  /**
   * Commits what agents left in their worktrees, and removes those without anything; each separately, with a warning of
   * the run for one that fails.
   */
  settle(): Promise<void>;
}

/** The commits that this agent takes over from an earlier run; undefined once it has its place in this run. */
export function leftWork(run: RunRecord, agent: AgentState): LeftWorktree | undefined {
  if (agent.spec.isolation !== "worktree" || agent.place !== undefined) return undefined;
  return run.reuse?.worktrees?.find((left) => left.agent === agent.id);
}
