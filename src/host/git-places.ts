import { type Dirent, existsSync, readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { realPlace } from "./sandbox/real-paths.ts";
import { isBelow } from "./sandbox/sandbox-mounts.ts";

// Read as files, without git: what a repository names may be run by git, and never by this.

/** Where git keeps what belongs to a directory; all absolute. */
export interface GitPlaces {
  /** The working tree around the directory; undefined where there is none. */
  readonly root: string | undefined;
  /** Git's own directories: in the tree, and those to which they point. */
  readonly directories: readonly string[];
  /** The working trees in which they were found, that around the directory included. */
  readonly trees: readonly string[];
  /** What else was looked for, by its name, the shallow ones first. */
  readonly named: readonly string[];
}

/** Where to look. */
export interface GitSearch {
  readonly directory: string;
  /** Directories whose own repository does not count, nor that of what is around them. */
  readonly beyond: readonly string[];
  /** Directories below which repositories are looked for. */
  readonly below: readonly string[];
  /** Names of files and directories that are collected on the way. Defaults to none. */
  readonly names?: ReadonlySet<string>;
}

const NAME = ".git";
/** A tree with more directories than this is looked through as far as that. */
const MOST_DIRECTORIES = 50_000;
const LARGEST_POINTER_BYTES = 64 * 1024;

/** Git's own directories around a directory and below others; links are not followed. */
export async function findGitPlaces(search: GitSearch): Promise<GitPlaces> {
  const root = workTreeAround(search);
  const entries = root === undefined ? [] : [join(root, NAME)];
  const named = new Set<string>();
  for (const directory of search.below)
    for (const path of await entriesBelow(directory, search.names))
      if (basename(path) === NAME) entries.push(path);
      else named.add(path);
  const trees = [...search.below, ...(root === undefined ? [] : [root])];
  const found = new Set(entries);
  for (const entry of entries) for (const path of pointedTo(entry, trees)) found.add(path);
  // Only of this one: a nested repository may be an agent's own, and borrow from whomever it likes.
  if (root !== undefined) for (const path of borrowed(join(root, NAME))) found.add(path);
  const roots = new Set(entries.map((entry) => dirname(entry)));
  return { root, directories: [...found], trees: [...roots], named: [...named] };
}

function workTreeAround({ directory, beyond }: GitSearch): string | undefined {
  for (let at = directory; dirname(at) !== at; at = dirname(at)) {
    if (beyond.some((place) => isBelow(place, at))) return undefined;
    if (existsSync(join(at, NAME))) return at;
  }
  return undefined;
}

async function entriesBelow(
  directory: string,
  names: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const found: string[] = [];
  let level: readonly string[] = [directory];
  for (let seen = 0; level.length > 0 && seen < MOST_DIRECTORIES; seen += level.length) {
    const entries = (await Promise.all(level.map(entriesOf))).flat();
    const isWanted = ({ name }: Dirent) => name === NAME || names.has(name);
    found.push(...entries.filter(isWanted).map(toPath));
    level = entries.filter((entry) => !isWanted(entry) && entry.isDirectory()).map(toPath);
  }
  return found;
}

/** What cannot be read cannot be entered either. */
function entriesOf(directory: string): Promise<readonly Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}

function toPath({ parentPath, name }: Dirent): string {
  return join(parentPath, name);
}

/** The directories that a `.git` in one of the trees points to: of a worktree or submodule, and what it shares. */
function pointedTo(entry: string, trees: readonly string[]): readonly string[] {
  const [target] = pointers(entry, /^gitdir: (.+)$/gm);
  if (target === undefined) return [];
  const directory = resolve(dirname(entry), target);
  const isOwn = (path: string) => trees.some((tree) => isBelow(path, tree));
  // Who writes in the tree can point anywhere: what lies outside has to point back.
  if (!isOwn(directory) && !pointsBack(directory, entry)) return [];
  const [shared = "."] = pointers(join(directory, "commondir"), /^(.+)$/gm);
  const common = resolve(directory, shared);
  if (isOwn(directory) && !isOwn(common)) return [directory];
  return isRepository(common) ? [directory, common] : [];
}

/** Whether git has noted there that this is the `.git` of one of its worktrees. */
function pointsBack(directory: string, entry: string): boolean {
  return pointers(join(directory, "gitdir"), /^(.+)$/gm).some(
    (path) => realPlace(resolve(directory, path)) === realPlace(entry),
  );
}

/** Where the repository of a working tree finds the objects that it shares with another. */
function borrowed(entry: string): readonly string[] {
  const objects = join(entry, "objects");
  return pointers(join(objects, "info", "alternates"), /^([^#].*)$/gm)
    .map((line) => resolve(objects, line))
    .filter((path) => isRepository(dirname(path)));
}

/** What the first group of the pattern finds in a small file; nothing in a large one, or where none is. */
function pointers(file: string, pattern: RegExp): readonly string[] {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts?.isFile() !== true || facts.size > LARGEST_POINTER_BYTES) return [];
  return [...readFileSync(file, "utf8").matchAll(pattern)].map(([, path = ""]) => path.trim());
}

function isRepository(directory: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(directory, name)));
}
