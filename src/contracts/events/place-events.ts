/** A working tree of git that belongs to one agent. */
export interface AgentWorktree {
  /** Root of the working tree that it was made from, absolute. */
  readonly root: string;
  /** Absolute. */
  readonly path: string;
  readonly branch: string;
  /** Id of the commit that its changes are compared with. */
  readonly base: string;
  /** Id of the commit at which the branch begins, where an earlier run left work beyond the base. */
  readonly start?: string;
}

/** The agent has a place that is kept apart from those of others; durable before it is made. */
export interface AgentPlaced {
  readonly type: "agent-placed";
  readonly agent: string;
  readonly isolation: "worktree" | "sandbox";
  /** Where it works, absolute. */
  readonly directory: string;
  readonly worktree?: AgentWorktree;
  /** Of a sandbox: false when the run was started without it. */
  readonly isConfined?: boolean;
  /** What is not in the place although somebody may expect it there. */
  readonly warnings?: readonly string[];
}

/** What the constraints of an agent say of files. */
type FileRule = "include" | "exclude" | "readOnly" | "link" | "obeyed";

/** What an agent has done that it may not do, or that nobody expects of it. */
export interface PlaceBreach {
  /**
   * `include`, `exclude`, `readOnly`: a file that its constraints do not let it change; `link`: one that leads
   * out of its place; `obeyed`: one that programs outside obey, new in a directory where none was. `stash`, `branch`, `outside`: it reached beyond its worktree. `network`: it asked for a
   * host that it may not reach, and was kept from it.
   */
  readonly rule: FileRule | "stash" | "branch" | "outside" | "network";
  /** File, name of git or `host:port` that it is about. */
  readonly path: string;
  /** Why it was kept from a host. */
  readonly reason?: string;
}

/** A turn has gone beyond the bounds of its agent's place. */
export interface PlaceBreached {
  readonly type: "place-breached";
  readonly agent: string;
  readonly turn: number;
  readonly breaches: readonly PlaceBreach[];
  /** How many more there are. */
  readonly more?: number;
  /** Whether the turn failed by it; else it is only told. */
  readonly failed: boolean;
}

/** What an agent left in its worktree is committed; without anything, worktree and branch are gone. */
export interface PlaceSettled {
  readonly type: "place-settled";
  readonly agent: string;
  readonly branch: string;
  /** Id of the last commit; absent when the agent has changed nothing. */
  readonly commit?: string;
  /** Files that differ from the base. */
  readonly files: number;
}

export type PlaceEvent = AgentPlaced | PlaceBreached | PlaceSettled;
