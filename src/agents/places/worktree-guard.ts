import { join } from "node:path";
import type { AgentWorktree, PlaceBreach } from "../../contracts/events/place-events.ts";
import { fingerprintFile } from "../../host/git/file-fingerprint.ts";
import type { GitHost } from "../../host/git/git-repositories.ts";
import { readBranch, readWholeRef } from "../../host/git/repository.ts";
import { readWorkingChanges } from "../../host/git/working-changes.ts";
import { doorOf } from "../../host/git/worktree.ts";
import { isBelow } from "../../host/sandbox/sandbox-mounts.ts";

/** What all worktrees share and an agent in one of them should leave alone. */
interface SharedState {
  readonly branch: string | undefined;
  readonly stash: string | undefined;
  /** What differs from the last commit in the main working tree, with its content. */
  readonly main: ReadonlyMap<string, string>;
}

/**
 * Looks at what lies beyond a worktree; the result says what changed there meanwhile. `directory`: where the
 * agent works, which does not count. Raises HOST_GIT_FAILED.
 */
export async function guardWorktree(
  host: GitHost,
  worktree: AgentWorktree,
  directory: string,
): Promise<(seesMain: boolean) => Promise<readonly PlaceBreach[]>> {
  const before = await readShared(host, worktree, directory);
  return async (seesMain) => {
    const after = await readShared(host, worktree, directory);
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
  host: GitHost,
  { root, path }: AgentWorktree,
  directory: string,
): Promise<SharedState> {
  const door = await doorOf(host.repositories, root);
  const main = await door.alone(async () => {
    const { files, links } = await readWorkingChanges(door);
    const seen = files.filter((file) => !isBelow(join(root, file.path), directory));
    const entries = seen.map(async (file) => {
      const print = await fingerprintFile(root, file.path);
      return [file.path, `${file.kind} ${print}`] as const;
    });
    const moved = links.map((link) => [link.path, link.present] as const);
    return new Map([...(await Promise.all(entries)), ...moved]);
  });
  return { branch: readBranch(path), stash: readWholeRef(root, "refs/stash"), main };
}
