import {
  type BigIntStats,
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isLiteral, staticDirectory } from "../foundation/path-pattern.ts";
import { isBelow } from "./sandbox/sandbox-mounts.ts";
import { systemErrorCode } from "./system/system-error.ts";

/** A file as it is found, with what changes when it does. */
export interface ListedFile {
  /** From the root; beyond a link that leads out of it, the way over the link. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
  /** The system keeps the time of the last change, and nobody can set it back. */
  readonly stamp: string;
  readonly isLink: boolean;
  /** Whether a link led to it out of the root. */
  readonly isOutside: boolean;
}

/** All files below a directory, by a name that each has alone. */
export type FileListing = ReadonlyMap<string, ListedFile>;

/** What is listed. */
export interface FileListingOptions {
  /** Absolute, with links resolved. */
  readonly root: string;
  /** Absolute paths below which is listed; the root, mostly. */
  readonly starts: readonly string[];
  /** Absolute paths that are left out. */
  readonly exclude: readonly string[];
  readonly maxFiles: number;
  /** Whether what a link leads to beyond the root is listed; by its path from the root. */
  follows(path: string): boolean;
}

// Beyond links may lie anything, such as the whole machine.
const MOST_OUTSIDE = 10_000;
const OF_SYSTEM = ["/proc", "/sys", "/dev"];
const AT_ONCE = 200;

/** Where to begin to look for what patterns below a directory stand for: none of the places lies in another. */
export function patternStarts(directory: string, patterns: readonly string[]): readonly string[] {
  const starts = patterns.map((pattern) =>
    resolve(directory, isLiteral(pattern) ? pattern : staticDirectory(pattern)),
  );
  return [...new Set(starts)].filter(
    (start) => !starts.some((other) => other !== start && isBelow(start, other)),
  );
}

/** Lists files one after the other, git's own left out; undefined when there are more than `maxFiles`. */
export async function listFiles(options: FileListingOptions): Promise<FileListing | undefined> {
  const { root, starts, exclude, maxFiles } = options;
  const left = new Set(exclude);
  const files = new Map<string, ListedFile>();
  const links: ListedFile[] = [];
  const pending = [...starts];
  for (let seen = 1; ; seen += 1) {
    const at = pending.pop();
    if (at === undefined) break;
    if (left.has(at)) continue;
    for (const { file, isDirectory } of childrenOf(at)) {
      if (isDirectory) pending.push(file);
      else if (!left.has(file)) {
        const listed = toListed(file, root === "/" ? file.slice(1) : file.slice(root.length + 1));
        files.set(listed.path, listed);
        if (listed.isLink && options.follows(listed.path)) links.push(listed);
      }
    }
    if (files.size + pending.length > maxFiles) return undefined;
    // Others have work to do, too.
    if (seen % AT_ONCE === 0) await new Promise((resume) => setImmediate(resume));
  }
  for (const [key, file] of listOutside(links, options)) files.set(key, file);
  return files;
}

/** What links lead to beyond the root, as far as it is not too much. */
function listOutside(
  links: readonly ListedFile[],
  { root, exclude }: FileListingOptions,
): FileListing {
  const found = new Map<string, ListedFile>();
  const left = new Set([...exclude, ...OF_SYSTEM]);
  const pending = links.flatMap(({ path, file }) => {
    const target = targetOf(file);
    const isSeen = target === undefined || isBelow(target, root) || isBelow(root, target);
    return isSeen || isBelowOne(target, left) ? [] : [{ path, file: target }];
  });
  const visited = new Set<string>();
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { path, file } = next;
    if (visited.has(file) || left.has(file)) continue;
    visited.add(file);
    if (visited.size > MOST_OUTSIDE) break;
    if (!isDirectory(file)) found.set(`${path}\0`, { ...toListed(file, path), isOutside: true });
    else
      for (const { name } of entriesOf(file))
        if (name !== ".git") pending.push({ path: `${path}/${name}`, file: join(file, name) });
  }
  return found;
}

function childrenOf(
  at: string,
): readonly { readonly file: string; readonly isDirectory: boolean }[] {
  // A start may be a file.
  if (!isDirectory(at)) return lstatOf(at) === undefined ? [] : [{ file: at, isDirectory: false }];
  return entriesOf(at)
    .filter((entry) => entry.name !== ".git" || !entry.isDirectory())
    .map((entry) => ({ file: join(at, entry.name), isDirectory: entry.isDirectory() }));
}

function toListed(file: string, path: string): ListedFile {
  const stat = lstatOf(file);
  if (stat === undefined) return { path, file, stamp: "gone", isLink: false, isOutside: false };
  const { mode, size, ino, ctimeNs } = stat;
  const isLink = stat.isSymbolicLink();
  const target = isLink ? `link ${linkOf(file)} ` : "";
  return {
    path,
    file,
    stamp: `${target}${mode} ${size} ${ino} ${ctimeNs}`,
    isLink,
    isOutside: false,
  };
}

function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    // It leads nowhere: what would be made there is made in its directory.
    const directory = dirname(link);
    return directory === link ? undefined : danglingTarget(link, directory);
  }
}

/** Where a link leads that has no end yet. */
function danglingTarget(link: string, directory: string): string | undefined {
  const target = linkOf(link);
  return target === "" ? undefined : join(target.startsWith("/") ? "/" : directory, target);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return "";
  }
}

function lstatOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

function isDirectory(path: string): boolean {
  return lstatOf(path)?.isDirectory() ?? false;
}

function isBelowOne(path: string, directories: ReadonlySet<string>): boolean {
  return [...directories].some((directory) => isBelow(path, directory));
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    // Gone meanwhile, or closed to us: then nothing in it can be told apart.
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}
