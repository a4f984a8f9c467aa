import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../foundation/hash.ts";
import { readFirstLine } from "./read-regular-file.ts";
import { findRepositoryPlace, type RepositoryPlace } from "./repository-place.ts";
import { assertPlainDirectory } from "./update-ref.ts";

// Owns what a repository records about its worktrees, and the names under which one is made and removed.
// G1: a record gets its name once it is complete, so git never sees half of one.
// G2: git writes the index of a new worktree after all of its files. A record without an index belongs to a worktree
//     that was not finished.

const COMMON = "../..";

/** A working tree of its own, on a branch of its own. */
export interface Worktree {
  /** Root of the working tree that it was made from. */
  readonly root: string;
  /** Absolute directory. */
  readonly path: string;
  readonly branch: string;
  /** Id of the commit that its changes are compared with. */
  readonly base: string;
  /** Id of the commit at which the branch begins; the base if not given. */
  readonly start?: string;
}

/**
 * State of a worktree on disk. `unfinished`: making it was interrupted. `unknown`: there is a directory that its
 * repository has no record of. `removed`: Troupe removed it, or began to.
 */
export type WorktreeState = "complete" | "unfinished" | "unknown" | "removed" | "absent";

/** Directory in which a worktree is filled before it gets its name. */
export function draftOf(path: string): string {
  return join(dirname(path), ".making", basename(path));
}

/** Directory to which a worktree is moved to be removed. It stays, empty, as the mark of the removal. */
export function removalOf(path: string): string {
  return join(dirname(path), ".removed", basename(path));
}

/** Looks at a worktree without changing anything. */
export function stateOfWorktree({ root, path }: Pick<Worktree, "root" | "path">): WorktreeState {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    return existsSync(removalOf(path)) ? "removed" : "absent";
  const place = findRepositoryPlace(root);
  const record = place === undefined ? undefined : findRecord(place, path);
  if (record === undefined || !lstatSync(path).isDirectory()) return "unknown";
  return existsSync(join(record, "index")) ? "complete" : "unfinished";
}

/** Directory with what a repository records about the worktree at a path; undefined when there is none. */
export function findRecord({ commonDirectory }: RepositoryPlace, path: string): string | undefined {
  const directory = join(commonDirectory, "worktrees");
  if (!existsSync(directory)) return undefined;
  assertPlainDirectory(directory);
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => join(directory, entry.name))
    .find((each) => readFirstLine(join(each, "gitdir")) === join(path, ".git"));
}

/**
 * Removes the record of a worktree, if there is one, and what an interrupted removal left. The record is renamed first:
 * a record that has lost its `gitdir` would be found no more.
 */
export function removeRecord(place: RepositoryPlace, path: string): void {
  const known = findRecord(place, path);
  const name = `.${sha256(path).slice(0, 16)}.removing`;
  const removing = join(place.commonDirectory, "worktrees", name);
  rmSync(removing, { recursive: true, force: true });
  if (known === undefined) return;
  renameSync(known, removing);
  rmSync(removing, { recursive: true, force: true });
}

/** Records a worktree as git itself would, in place of an earlier record; returns the directory. */
export function addWorktreeRecord(place: RepositoryPlace, { path, branch }: Worktree): string {
  removeRecord(place, path);
  const parent = join(place.commonDirectory, "worktrees");
  mkdirSync(parent, { recursive: true });
  const name = branch.replaceAll("/", "-");
  const draft = join(parent, `.${name}.making`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(join(draft, "gitdir"), `${join(path, ".git")}\n`);
  writeFileSync(join(draft, "commondir"), `${COMMON}\n`);
  writeFileSync(join(draft, "HEAD"), `ref: refs/heads/${branch}\n`);
  const sparse = join(place.gitDirectory, "info", "sparse-checkout");
  if (existsSync(sparse)) {
    mkdirSync(join(draft, "info"));
    writeFileSync(join(draft, "info", "sparse-checkout"), readFileSync(sparse));
  }
  const directory = freeDirectory(join(parent, name));
  renameSync(draft, directory);
  return directory;
}

function freeDirectory(path: string): string {
  for (let count = 0; ; count += 1) {
    const directory = count === 0 ? path : `${path}-${count}`;
    if (!existsSync(directory)) return directory;
  }
}
