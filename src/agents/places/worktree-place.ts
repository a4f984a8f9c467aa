import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type {
  AgentPlaced,
  AgentWorktree,
  PlaceBreach,
} from "../../contracts/events/place-events.ts";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { fingerprintFile } from "../../host/git/file-fingerprint.ts";
import type { GitHost } from "../../host/git/git-repositories.ts";
import {
  hasCommit,
  type Repository,
  readBranch,
  readBranchTip,
  readRepository,
  readWholeRef,
} from "../../host/git/repository.ts";
import { readWorkingChanges } from "../../host/git/working-changes.ts";
import { addWorktree, doorOf, isDirty } from "../../host/git/worktree.ts";
import { isBelow } from "../../host/sandbox/sandbox-mounts.ts";
import { worktreeImpossible } from "./errors.ts";

/** What a worktree is planned from. */
export interface WorktreeWish {
  readonly run: string;
  readonly agent: string;
  /** Where the agent would work without one, absolute. */
  readonly cwd: string;
  /** What was checked out when the run began. */
  readonly commit: string | null | undefined;
  /** Directory of the run. */
  readonly runDirectory: string | undefined;
}

/** The place that an agent is to have. Changes nothing. Raises AGENT_WORKTREE_IMPOSSIBLE, HOST_GIT_FAILED. */
export async function planWorktree(
  host: GitHost,
  wish: WorktreeWish,
): Promise<Omit<AgentPlaced, "type"> & { readonly worktree: AgentWorktree }> {
  const { run, agent, cwd, runDirectory } = wish;
  const refuse = (reason: string) => worktreeImpossible({ agent, directory: cwd, reason });
  if (runDirectory === undefined) throw refuse("this run keeps no files");
  const repository = await assertRepository(host, agent, cwd);
  const { root, commit: head } = repository;
  // The run may have begun in another repository than the one of this agent.
  const begun = wish.commit ?? head;
  const base = (await hasCommit(await doorOf(host.repositories, root), begun)) ? begun : head;
  makeDirectory(runDirectory, 0o700);
  const path = join(realpathSync(runDirectory), "worktrees", agent);
  const branch = `troupe/${run}/${agent}`;
  const tip = readBranchTip(root, branch);
  if (tip !== undefined && tip !== base) throw refuse(`the branch ${branch} is there already`);
  const warnings = await warningsOf(host, repository);
  return {
    agent,
    isolation: "worktree",
    directory: join(path, relative(root, realpathSync(cwd))),
    worktree: { root, path, branch, base },
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** The repository of a worktree, which has to have a commit. Raises AGENT_WORKTREE_IMPOSSIBLE, HOST_GIT_FAILED. */
export async function assertRepository(
  host: GitHost,
  agent: string,
  cwd: string,
): Promise<Repository & { readonly commit: string }> {
  const repository = await readRepository(host, cwd);
  const refuse = (reason: string) => worktreeImpossible({ agent, directory: cwd, reason });
  if (repository === undefined) throw refuse("it is in no git repository with a working tree");
  const { commit } = repository;
  if (commit === undefined) throw refuse("its repository has no commit yet");
  return { ...repository, commit };
}

/** Makes the worktree unless it is there. Raises HOST_GIT_FAILED, AGENT_WORKTREE_IMPOSSIBLE. */
export async function makeWorktree(
  host: GitHost,
  {
    worktree,
    directory,
    agent,
  }: Pick<AgentPlaced, "directory" | "agent"> & { readonly worktree: AgentWorktree },
): Promise<void> {
  if (!existsSync(join(worktree.path, ".git"))) {
    makeDirectory(dirname(worktree.path), 0o700);
    await addWorktree(host, worktree);
  }
  if (existsSync(directory)) return;
  const reason = `${relative(worktree.path, directory)} is in no commit`;
  throw worktreeImpossible({ agent, directory: worktree.root, reason });
}

async function warningsOf(host: GitHost, repository: Repository): Promise<readonly string[]> {
  const warnings: string[] = [];
  if (await isDirty(host, repository.root))
    warnings.push("changes that are not committed are not in it");
  if (repository.hasSubmodules) warnings.push("its submodules are empty");
  return warnings;
}

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
