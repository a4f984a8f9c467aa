import { existsSync, lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import type {
  AgentPlaced,
  AgentWorktree,
  PlaceBreach,
} from "../../contracts/events/place-events.ts";
import type { LeftWorktree } from "../../contracts/events/reuse.ts";
import { TroupeError } from "../../foundation/errors.ts";
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
import {
  addWorktree,
  concludeWorktree,
  doorOf,
  isDirty,
  readBranchEnd,
  removeBranch,
  removeWorktree,
  type WorktreeEnd,
} from "../../host/git/worktree.ts";
import { stateOfWorktree, type WorktreeState } from "../../host/git/worktree-registry.ts";
import { isBelow } from "../../host/sandbox/sandbox-mounts.ts";
import { toDiskError } from "../../host/system/disk-error.ts";
import { systemErrorCode } from "../../host/system/system-error.ts";
import { worktreeFailed, worktreeImpossible } from "./errors.ts";

/** What a worktree is planned from. */
export interface WorktreeWish {
  readonly run: string;
  readonly agent: string;
  /** Where the agent would work without one, absolute. */
  readonly cwd: string;
  /** What was checked out when the run began. */
  readonly commit: string | null | undefined;
  /** Commits of an earlier run that the agent continues from. */
  readonly left?: LeftWorktree | undefined;
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
  assertNoClash(repository, { run, agent, cwd, runDirectory: undefined });
  const { root, commit: head } = repository;
  const door = await doorOf(host.repositories, root);
  const { left } = wish;
  for (const commit of left === undefined ? [] : [left.base, left.commit])
    if (!(await hasCommit(door, commit)))
      throw refuse(`commit ${commit}, which it needs from ${left?.run}, is gone`);
  const begun = wish.commit ?? head;
  // The run may have begun in another repository than the one of this agent.
  const base = left?.base ?? ((await hasCommit(door, begun)) ? begun : head);
  const start = left?.commit ?? base;
  makeDirectory(runDirectory, 0o700);
  const path = join(realpathSync(runDirectory), "worktrees", agent);
  const branch = branchOf(run, agent);
  const tip = readBranchTip(root, branch);
  if (tip !== undefined && tip !== start) throw refuse(`the branch ${branch} is there already`);
  const warnings = await warningsOf(host, repository);
  return {
    agent,
    isolation: "worktree",
    directory: join(path, relative(root, realpathSync(cwd))),
    worktree: { root, path, branch, base, ...(start === base ? {} : { start }) },
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

/** The branch of an agent's worktree. */
export function branchOf(run: string, agent: string): string {
  return `troupe/${run}/${agent}`;
}

/** The run of a branch that `branchOf` named. */
function runOf(branch: string): string {
  return branch.split("/")[1] ?? "@last";
}

/** A worktree that an agent was given. */
interface GivenWorktree extends Pick<AgentPlaced, "agent" | "directory"> {
  readonly worktree: AgentWorktree;
  /** Whether the agent has worked in it. */
  readonly isUsed: boolean;
}

/**
 * Makes the worktree unless it is complete. One that was not finished is made again; one in which its agent has worked
 * is not. Raises AGENT_WORKTREE_FAILED, AGENT_WORKTREE_IMPOSSIBLE, HOST_DISK_*.
 */
export async function makeWorktree(host: GitHost, given: GivenWorktree): Promise<void> {
  const { worktree, directory, agent, isUsed } = given;
  const state = stateOfWorktree(worktree);
  const problem = isUsed ? problemOf(worktree, state) : undefined;
  if (problem !== undefined) throw failedFor(given, problem);
  if (state !== "complete") {
    try {
      makeDirectory(dirname(worktree.path), 0o700);
      await addWorktree(host, worktree);
    } catch (error) {
      throw toWorktreeError(given, error);
    }
  }
  if (existsSync(directory)) return;
  const reason = `${relative(worktree.path, directory)} is in no commit`;
  throw worktreeImpossible({ agent, directory: worktree.root, reason });
}

/** The error of a worktree in which an agent has worked and that is not what it was; undefined while it is there. */
export function lostWorktree(given: Omit<GivenWorktree, "isUsed">): TroupeError | undefined {
  const problem = problemOf(given.worktree, stateOfWorktree(given.worktree));
  if (problem !== undefined) return failedFor(given, problem);
  if (existsSync(given.directory)) return undefined;
  return failedFor(given, `its directory ${given.directory} is gone`);
}

function problemOf({ path }: AgentWorktree, state: WorktreeState): string | undefined {
  if (state === "unfinished")
    return `${path} has no index: it was not finished, or that was removed`;
  if (state === "absent" || state === "removed") return `${path} is gone`;
  if (state === "unknown") return `${path} is not a worktree of its repository any longer`;
  return undefined;
}

function failedFor(
  { agent, worktree }: Pick<GivenWorktree, "agent" | "worktree">,
  reason: string,
  options: ErrorOptions = {},
): TroupeError {
  const { branch, path } = worktree;
  return worktreeFailed({ agent, run: runOf(branch), branch, path, reason }, options);
}

/** A full or read-only disk stops the run, which can go on later; anything else is the failure of this worktree. */
export function toWorktreeError(
  given: Pick<GivenWorktree, "agent" | "worktree">,
  thrown: unknown,
): unknown {
  const fault = toDiskError(thrown);
  if (fault !== undefined) return fault;
  if (thrown instanceof TroupeError && thrown.code === worktreeImpossible.code) return thrown;
  if (!(thrown instanceof Error)) return thrown;
  return failedFor(given, thrown.message, { cause: thrown });
}

/** What is left of a worktree at the end of its run. */
interface SettledWorktree {
  /** Undefined: nothing beyond the base, and nothing is left. */
  readonly end: WorktreeEnd | undefined;
  /** What people should know about it, in words that follow the worktree. */
  readonly warning: string | undefined;
}

/**
 * Commits what an agent left in its worktree; removes one that holds nothing, with its branch. Nothing is committed from
 * a worktree that was never complete. Raises HOST_GIT_FAILED, HOST_GIT_FILTERED and the system's own errors; then the
 * worktree is as it was.
 */
export async function settleWorktree(
  host: GitHost,
  given: Omit<GivenWorktree, "directory">,
  message: string,
): Promise<SettledWorktree> {
  const { worktree, isUsed } = given;
  const { path, branch } = worktree;
  const state = stateOfWorktree(worktree);
  if (state === "complete") {
    const end = await concludeWorktree(host, worktree, message);
    const { problem } = end ?? {};
    const warning =
      problem && `was committed, but its index was not brought up to date: ${problem.message}`;
    if (end !== undefined) return { end, warning };
  } else if (isUsed && state === "absent") {
    const end = await readBranchEnd(host, worktree);
    if (end === undefined) await removeAll(host, worktree);
    const left = end === undefined ? "" : `; what was committed is on branch ${branch}`;
    return { end, warning: `is gone with what was not committed in it${left} (${path})` };
  } else if (isUsed && state !== "removed") {
    throw failedFor(given, problemOf(worktree, state) ?? state);
  }
  await removeAll(host, worktree);
  return { end: undefined, warning: undefined };
}

async function removeAll(host: GitHost, worktree: AgentWorktree): Promise<void> {
  const { root, branch, base } = worktree;
  await removeWorktree(host, worktree);
  await removeBranch(host, root, { branch, commit: base });
}

/**
 * Checks that no branch and no directory has a name that the worktree of an agent needs. Without the directory of the
 * run, its own branch and directory are not looked at. Raises AGENT_WORKTREE_IMPOSSIBLE.
 */
export function assertNoClash(
  repository: Repository,
  { run, agent, cwd, runDirectory }: Omit<WorktreeWish, "commit">,
): void {
  const refuse = (reason: string) => worktreeImpossible({ agent, directory: cwd, reason });
  const branch = branchOf(run, agent);
  const above = branchAbove(repository, branch);
  if (above !== undefined)
    throw refuse(`the branch ${above} is there, and git keeps no ${branch} next to it`);
  if (runDirectory === undefined) return;
  if (readBranchTip(repository.root, branch) !== undefined)
    throw refuse(`the branch ${branch} is there already`);
  const path = join(runDirectory, "worktrees", agent);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw refuse(`${path} is there already; remove it`);
}

/** A branch whose name another one would need for a directory. */
function branchAbove({ root, commonDirectory }: Repository, branch: string): string | undefined {
  const parts = branch.split("/");
  const above = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
  return above.find((name) => {
    const stat = statBelow(join(commonDirectory, "refs", "heads"), name);
    return stat?.isDirectory() === false || readBranchTip(root, name) !== undefined;
  });
}

/** Undefined also where something above it is no directory. */
function statBelow(directory: string, name: string): Stats | undefined {
  try {
    return lstatSync(join(directory, name), { throwIfNoEntry: false });
  } catch (error) {
    if (systemErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
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
