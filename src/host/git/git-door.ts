import type { CommandResult } from "../../contracts/host.ts";
import type { BranchHead } from "./git-head.ts";
import type { GitSettings } from "./git-settings.ts";
import type { RepositoryPlace } from "./repository-place.ts";
import type { GitCall } from "./run-git.ts";

/** What a working tree is worked on with. */
export interface GitDoor {
  readonly place: RepositoryPlace;
  readonly settings: GitSettings;
  /** The shadow: whoever wants an index keeps it here. */
  readonly directory: string;
  /** Absolute paths that are Troupe's own, not anybody's work. */
  readonly ownFiles: readonly string[];
  /** What is remembered of the index: the commit that it was made from. */
  readonly memory: DoorMemory;
  /** Where the working tree stands now; undefined where that cannot be known. */
  head(): BranchHead | undefined;
  /** What git's configuration names within the working tree: absolute paths. Raises HOST_GIT_FAILED. */
  filesNamed(): Promise<readonly string[]>;
  /** Runs a plumbing command on the shadow, at the root of the working tree. */
  run(args: readonly string[], more?: DoorOptions): Promise<CommandResult>;
  /** As `run`, where it has to work. Raises HOST_GIT_FAILED. */
  must(args: readonly string[], more?: DoorOptions): Promise<CommandResult>;
  /** Does something while no other call uses the index of the shadow. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets something write to the repository itself: its objects and references. Raises HOST_GIT_FAILED. */
  landing<Result>(work: (landing: Landing) => Promise<Result>): Promise<Result>;
}

/** Git on the objects and references of the repository itself. */
export type Landing = Pick<GitDoor, "run" | "must" | "place" | "settings">;

/** What a shadow remembers between calls. */
export interface DoorMemory {
  /** Undefined: there is no index yet. */
  indexOf: string | null | undefined;
  links: ReadonlyMap<string, string>;
}

export type DoorOptions = Partial<Omit<GitCall, "args">>;
