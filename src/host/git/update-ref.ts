import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { branchElsewhere, gitFailed } from "../system/errors.ts";
import { systemErrorCode } from "../system/system-error.ts";
import { otherHolders } from "./branch-holders.ts";
import type { Landing } from "./git-door.ts";
import { readBranchHead } from "./git-head.ts";
import type { RepositoryPlace } from "./repository-place.ts";

const BRANCHES = "refs/heads/";

/** A reference that is to move, if it still stands where it is expected. */
export interface RefMove {
  /** Whole name. */
  readonly ref: string;
  /** Null: it must not be there yet. */
  readonly from: string | null;
  readonly to: string;
  /** For the log of the reference. */
  readonly message: string;
}

/**
 * Moves a reference; of those who try at once, one wins. A branch does not move under another working tree that holds
 * it. Raises HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE.
 */
export async function moveRef(
  landing: Landing,
  { ref, from, to, message }: RefMove,
): Promise<void> {
  const { commonDirectory } = landing.place;
  for (
    let path = dirname(join(commonDirectory, ref));
    path !== commonDirectory;
    path = dirname(path)
  )
    assertPlainDirectory(path);
  if (from !== null && from !== to && ref.startsWith(BRANCHES))
    assertBranchFree(landing.place, ref.slice(BRANCHES.length));
  const expected = from ?? "0".repeat(to.length);
  await landing.must(["update-ref", "--no-deref", "-m", message, ref, to, expected]);
}

/** Raises HOST_GIT_BRANCH_ELSEWHERE where another working tree holds a branch. */
export function assertBranchFree(place: RepositoryPlace, branch: string): void {
  const [holder] = otherHolders(place, branch);
  if (holder !== undefined) throw branchElsewhere({ branch, ...holder });
}

/**
 * Has what a working tree has checked out stand at another commit. Raises HOST_GIT_FAILED,
 * HOST_GIT_BRANCH_ELSEWHERE.
 */
export async function moveHead(
  landing: Landing,
  { from, to, message }: Omit<RefMove, "ref">,
): Promise<void> {
  const { gitDirectory, root } = landing.place;
  const head = readBranchHead(landing.place);
  if (head === undefined || head.commit !== from)
    throw gitFailed({ cwd: root, action: "move HEAD", reason: "it stands elsewhere by now" });
  if (head.branch !== undefined)
    return moveRef(landing, { ref: `refs/heads/${head.branch}`, from, to, message });
  replaceGitFile(gitDirectory, "HEAD", `${to}\n`);
}

/**
 * Replaces a file of a git directory as git does: by a lock that only one can take, then at once. Links are
 * replaced, never followed. Raises HOST_GIT_FAILED.
 */
export function replaceGitFile(directory: string, name: string, content: string | Buffer): void {
  const path = join(directory, name);
  const lock = `${path}.lock`;
  try {
    writeFileSync(lock, content, { flag: "wx" });
    renameSync(lock, path);
  } catch (error) {
    throw unwritten(directory, name, error);
  }
}

/**
 * Replaces a file of a git directory by one that was written on the same disk. The lock is that very file, so that a lock
 * that outlives its process can be told from everybody else's. Raises HOST_GIT_FAILED.
 */
export function putGitFile(directory: string, name: string, written: string): void {
  const path = join(directory, name);
  const lock = `${path}.lock`;
  try {
    linkOrCopy(written, lock);
    renameSync(lock, path);
  } catch (error) {
    throw unwritten(directory, name, error);
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

function unwritten(directory: string, name: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const lock = join(directory, `${name}.lock`);
  const reason = code === "EEXIST" ? `${lock} is there: another git is at work` : code;
  return gitFailed({ cwd: directory, action: `writing ${name}`, reason });
}

/** Removes a file of a git directory, if it is there. */
export function removeGitFile(directory: string, name: string): void {
  rmSync(join(directory, name), { force: true });
}

/** Raises HOST_GIT_FAILED for what is there and no directory, or a link to one. */
export function assertPlainDirectory(path: string): void {
  const stat = statOf(path);
  if (stat === undefined || stat.isDirectory()) return;
  throw gitFailed({ cwd: path, action: "writing", reason: `${path} is no directory` });
}

/** Undefined also below what is no directory: whoever checks that directory's own path is told. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
