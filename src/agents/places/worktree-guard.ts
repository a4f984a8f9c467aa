import type { AgentWorktree, PlaceBreach } from "../../contracts/events/place-events.ts";
import { fingerprintFile } from "../../host/file-fingerprint.ts";
import { type GitPorts, git, mustGit } from "../../host/git.ts";
import { readBranch } from "../../host/git-repository.ts";

/** What all worktrees share and an agent in one of them should leave alone. */
interface SharedState {
  readonly branch: string | undefined;
  readonly stash: string;
  /** What differs from the last commit in the main working tree, with its content. */
  readonly main: ReadonlyMap<string, string>;
}

/**
 * Looks at what lies beyond a worktree; the result says what changed there meanwhile. `written`: paths from the
 * root of the main working tree that do not count. Raises HOST_GIT_FAILED.
 */
export async function guardWorktree(
  host: GitPorts,
  worktree: AgentWorktree,
  written: readonly string[],
): Promise<(seesMain: boolean) => Promise<readonly PlaceBreach[]>> {
  const before = await readShared(host, worktree, written);
  return async (seesMain) => {
    const after = await readShared(host, worktree, written);
    const breaches: PlaceBreach[] = [];
    if (after.branch !== worktree.branch && after.branch !== before.branch)
      breaches.push({ rule: "branch", path: after.branch ?? "HEAD" });
    if (after.stash !== before.stash) breaches.push({ rule: "stash", path: "refs/stash" });
    if (seesMain)
      for (const path of new Set([...before.main.keys(), ...after.main.keys()]))
        if (before.main.get(path) !== after.main.get(path))
          breaches.push({ rule: "outside", path });
    return breaches;
  };
}

async function readShared(
  host: GitPorts,
  { root, path }: AgentWorktree,
  written: readonly string[],
): Promise<SharedState> {
  const flags = ["--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const left = written.map((each) => `:(top,exclude,literal)${each}`);
  const [stash, status, branch] = await Promise.all([
    git(host, root, ["rev-parse", "--quiet", "--verify", "refs/stash"]),
    mustGit(host, root, ["status", ...flags, "--", ":(top)", ...left]),
    readBranch(host, path),
  ]);
  const records = status.stdout.split("\0").filter((record) => record !== "");
  const entries = records.map(async (record) => {
    const name = record.slice(3);
    return [name, `${record.slice(0, 2)} ${await fingerprintFile(root, name)}`] as const;
  });
  return {
    branch,
    stash: stash.stdout.trim(),
    main: new Map(await Promise.all(entries)),
  };
}
