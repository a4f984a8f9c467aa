import { existsSync } from "node:fs";
import { type GitChanges, readCommitChanges, readGitChanges } from "../../host/git/git-changes.ts";
import { isCommitId } from "../../host/git/git-head.ts";
import type { GitHost } from "../../host/git/git-repositories.ts";

/** Why nothing could be compared. */
export type NoPatchReason = "no-directory" | "no-repository" | "not-recorded" | "no-commit";

/** Changes as text, or why there is none. */
export type RunPatch =
  | { readonly status: "made"; readonly text: string; readonly isCut: boolean }
  | { readonly status: "none"; readonly reason: NoPatchReason };

/** What to compare: a directory as it is now, or up to a commit, with where it began. */
export interface Compared {
  readonly directory: string;
  /** Id of a commit; null for the time before the first; undefined when nobody wrote it down. */
  readonly base: string | null | undefined;
  /** Id of a commit; undefined for the files as they are now. */
  readonly until: string | undefined;
  /** Files last changed before are in no patch; in ms since the epoch. */
  readonly sinceMs: number;
}

const MAX_PATCH_CHARS = 1024 * 1024;

/** What has changed, or why nobody can tell. Raises HOST_GIT_FAILED. */
export async function compareWithBase(
  host: GitHost,
  { directory, base, until, sinceMs }: Compared,
): Promise<GitChanges | NoPatchReason> {
  if (!existsSync(directory)) return "no-directory";
  if (base === undefined) return "not-recorded";
  // A journal may come from anywhere: what is no id could be an option of git.
  if (base !== null && !isCommitId(base)) return "no-commit";
  const maxPatchChars = MAX_PATCH_CHARS;
  if (until === undefined) return readGitChanges(host, directory, { base, maxPatchChars, sinceMs });
  if (base === null || !isCommitId(until)) return "no-commit";
  return readCommitChanges(host, directory, { from: base, to: until, maxPatchChars });
}

/** The text of what has changed. */
export function toPatch(changes: GitChanges | NoPatchReason): RunPatch {
  return typeof changes === "string"
    ? { status: "none", reason: changes }
    : { status: "made", text: changes.patch, isCut: changes.isCut };
}
