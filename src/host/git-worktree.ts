import { type GitPorts, git, mustGit } from "./git.ts";
import { isAncestor, readBranch, readCommit, writingPorts } from "./git-repository.ts";

/** A working tree of its own, on a branch of its own. */
export interface Worktree {
  /** Root of the working tree that it was made from. */
  readonly root: string;
  /** Absolute directory. */
  readonly path: string;
  readonly branch: string;
  /** Id of the commit where the branch began. */
  readonly base: string;
}

/** What is in a worktree when its agent is done. */
export interface WorktreeEnd {
  /** Id of the last commit. */
  readonly commit: string;
  /** Files that differ from the base. */
  readonly files: number;
}

/**
 * Makes a worktree with its branch, or again the directory of a branch that is there already. One at a time per
 * repository. Raises HOST_GIT_FAILED.
 */
export async function addWorktree(host: GitPorts, worktree: Worktree): Promise<void> {
  const { root, path, branch, base } = worktree;
  const writing = await writingPorts(host, root);
  // A directory that somebody removed by hand would keep its branch from being checked out.
  await mustGit(writing, root, ["worktree", "prune"]);
  const isThere = (await readCommit(host, root, `refs/heads/${branch}`)) !== undefined;
  const how = isThere ? [path, branch] : ["--no-track", "-b", branch, path, base];
  await mustGit(writing, root, ["worktree", "add", "--quiet", ...how]);
}

/**
 * Commits what a worktree holds beyond its last commit and leaves its branch at the end of it all, wherever the
 * agent had moved to. Resolves with undefined when there is nothing beyond the base. Raises HOST_GIT_FAILED.
 */
export async function concludeWorktree(
  host: GitPorts,
  { path, branch, base }: Worktree,
  message: string,
): Promise<WorktreeEnd | undefined> {
  const writing = await writingPorts(host, path);
  const status = await mustGit(writing, path, ["status", "--porcelain", "-z"]);
  if (status.stdout !== "") {
    await mustGit(writing, path, ["add", "--all"]);
    const staged = await git(writing, path, ["diff", "--cached", "--quiet"]);
    if (staged.exitCode !== 0)
      await mustGit(writing, path, ["commit", "--quiet", "--no-verify", "-m", message]);
  }
  const commit = await readCommit(host, path, "HEAD");
  if (commit === undefined || commit === base) return undefined;
  await followWork(host, { path, branch, commit });
  const names = ["diff", "--name-only", "-z", "--no-renames", base, commit];
  const listed = await mustGit(host, path, names);
  const files = listed.stdout.split("\0").filter((name) => name !== "").length;
  return { commit, files };
}

/** An agent that switched the branch has its work somewhere else: its own branch follows if nothing is lost by it. */
async function followWork(
  host: GitPorts,
  {
    path,
    branch,
    commit,
  }: { readonly path: string; readonly branch: string; readonly commit: string },
): Promise<void> {
  if ((await readBranch(host, path)) === branch) return;
  const tip = await readCommit(host, path, `refs/heads/${branch}`);
  if (tip !== undefined && !(await isAncestor(host, path, { of: commit, commit: tip }))) return;
  await mustGit(host, path, ["update-ref", `refs/heads/${branch}`, commit]);
}

/**
 * Whether a working tree holds something that no commit has, beyond these paths from its root. Raises
 * HOST_GIT_FAILED.
 */
export async function isDirty(
  host: GitPorts,
  path: string,
  exclude: readonly string[] = [],
): Promise<boolean> {
  const writing = await writingPorts(host, path);
  const left = exclude.map((each) => `:(top,exclude,literal)${each}`);
  const flags = ["--porcelain", "-z", "--untracked-files=normal", "--", ":(top)", ...left];
  return (await mustGit(writing, path, ["status", ...flags])).stdout !== "";
}

/** Removes a worktree with all that is in it. Its branch stays. Raises HOST_GIT_FAILED. */
export async function removeWorktree(
  host: GitPorts,
  { root, path }: Pick<Worktree, "root" | "path">,
): Promise<void> {
  await mustGit(host, root, ["worktree", "remove", "--force", "--force", path]);
}

/** Removes a branch if it still ends at this commit; resolves with whether it is gone. */
export async function removeBranch(
  host: GitPorts,
  root: string,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<boolean> {
  const removed = await git(host, root, ["update-ref", "-d", `refs/heads/${branch}`, commit]);
  return removed.exitCode === 0;
}
