import { existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { sha256 } from "../../../foundation/hash.ts";
import type { Environment, Project } from "../place/project.ts";

/** A file with which a project configures the programs of agents. */
export interface AgentFile {
  /** Counted from the top of its repository, with `/`: the same in every worktree. */
  readonly path: string;
  /** SHA-256 of its content; undefined for what is too much to be looked at, or cannot be read. */
  readonly hash: string | undefined;
}

// Working copies and packages that programs keep there: too much to read, and no configuration.
const PASSED_OVER: ReadonlySet<string> = new Set(["worktrees", "node_modules"]);

const MAX_FILES = 500;
const MAX_DEPTH = 8;
const MAX_FILE_BYTES = 1_048_576;

/** Where files are looked for: in these directories, and no farther up than the user's home. */
export interface AgentFileSearch {
  /** What the programs obey in such a directory. */
  readonly names: readonly string[];
  /** Absolute: the directory that the agents work in. */
  readonly cwd: string;
  readonly project: Pick<Project, "root">;
  readonly env: Environment;
}

/** The files of these names that would configure programs in a directory. */
export function findAgentFiles(search: AgentFileSearch): readonly AgentFile[] {
  const { names, cwd, env } = search;
  if (names.length === 0) return [];
  const real = realOf(cwd);
  const top = topOf(real, search);
  const home = realOf(env["HOME"] || homedir());
  const found: AgentFile[] = [];
  for (const directory of chain(top, real)) {
    // What lies there is the user's own.
    if (directory === home) continue;
    for (const name of names) addFiles(join(directory, name), { top, depth: 0, found });
  }
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** The top of the repository or worktree that a directory is in, else the project, else the directory. */
function topOf(directory: string, { project }: AgentFileSearch): string {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) break;
  }
  const root = realOf(project.root);
  return relative(root, directory).startsWith("..") ? directory : root;
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function chain(top: string, directory: string): readonly string[] {
  return directory === top ? [top] : [...chain(top, dirname(directory)), directory];
}

interface Walk {
  readonly top: string;
  readonly depth: number;
  readonly found: AgentFile[];
}

function addFiles(file: string, { top, depth, found }: Walk): void {
  const info = infoOf(file);
  if (info === undefined) return;
  const path = relative(top, file);
  const isTooMuch = depth > MAX_DEPTH || found.length >= MAX_FILES;
  if (isTooMuch || !info.isDirectory()) {
    if (found.length <= MAX_FILES)
      found.push({ path, hash: isTooMuch ? undefined : hashOf(file, info) });
    return;
  }
  for (const name of namesIn(file, path, found))
    if (!PASSED_OVER.has(name)) addFiles(join(file, name), { top, depth: depth + 1, found });
}

function infoOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A directory on the way may not be entered, by programs of agents neither.
    return undefined;
  }
}

function namesIn(directory: string, path: string, found: AgentFile[]): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    found.push({ path, hash: undefined });
    return [];
  }
}

function hashOf(file: string, info: Stats): string | undefined {
  // Whoever opens a pipe waits for its other end.
  if (!info.isFile() || info.size > MAX_FILE_BYTES) return undefined;
  try {
    return sha256(readFileSync(file, "latin1"));
  } catch {
    return undefined;
  }
}
