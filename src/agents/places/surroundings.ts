import type { GitHost } from "../../host/git/git-repositories.ts";

/** What surrounds the places of a run's agents on this machine; all paths are absolute. */
export interface Surroundings extends GitHost {
  /** The user's home. */
  readonly home: string;
  /** The project's `.troupe`. */
  readonly troupeDirectory: string;
  /** Directory of the run; absent in runs that keep no files. */
  readonly runDirectory?: string;
  /** What is Troupe's own: journals of other runs, sockets, tokens, trust. */
  readonly hidden: readonly string[];
  /** What the configuration lets sandboxes see, write, and reach, beside all else. */
  readonly sandbox: {
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly network: readonly string[];
  };
  /** What Troupe itself writes while agents work: nobody is blamed for it. */
  readonly written: readonly string[];
  /** Whether sandboxes are left out because somebody said so. */
  readonly isUnsandboxed: boolean;
  /** Does work on a repository while no other process of this user does. */
  exclusively<Result>(repository: string, work: () => Promise<Result>): Promise<Result>;
}
