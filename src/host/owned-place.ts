import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { systemErrorCode } from "./system/system-error.ts";

/** What is looked at, and how far up. */
export interface PlaceToBelieve {
  readonly path: string;
  /** A directory that the path leads to the inside of, links followed; it is looked at too. */
  readonly root: string;
  /** Another user who may own it, such as the one whose checkout root works in. */
  readonly owner?: number | undefined;
}

/**
 * Why what lies at a path may be of somebody else: from the file up to the root all belongs to this user or to
 * the system's administrator, and nobody else may write there. Undefined when it can be believed or nothing is
 * there. Raises errors of the system other than absence.
 */
export function distrustPlace({ path, root, owner }: PlaceToBelieve): string | undefined {
  const real = realOf(path);
  const top = realOf(root);
  if (real === undefined || top === undefined) return undefined;
  if (!isWithin(real, top)) return `${path} leads out of ${root}, to ${real}`;
  for (let at = real; ; at = dirname(at)) {
    const info = statSync(at, { throwIfNoEntry: false });
    const problem = info && distrustEntry(info, owner);
    if (problem !== undefined) return `${at} ${problem}`;
    if (at === top) return undefined;
  }
}

/** Why an entry of a directory may be of somebody else: "belongs to another user", "may be written by others". */
export function distrustEntry(info: Stats, owner?: number): string | undefined {
  const { uid, mode } = info;
  const isKnown = uid === process.getuid?.() || uid === 0 || uid === owner;
  if (!isKnown) return "belongs to another user";
  // In a sticky directory nobody can replace what is another's.
  const isSticky = info.isDirectory() && (mode & 0o1000) !== 0;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isPrivateGroup(info));
  return isOpen && !isSticky ? "may be written by others" : undefined;
}

/**
 * Why the content of a file that Troupe itself writes cannot be believed; undefined when only this user can have
 * written it, or nobody. `mayNot` are rights that nobody else may have, whatever group it is; by default none.
 * Raises errors of the system other than absence.
 */
export function distrustFile(file: string, mayNot: number = 0): string | undefined {
  const info = lookAtEntry(file);
  if (info === undefined) return undefined;
  if (!info.isFile()) return "it is not a plain file";
  const problem = distrustEntry(info);
  if (problem !== undefined) return `it ${problem}`;
  return (info.mode & mayNot) === 0 ? undefined : "others may read it";
}

/** Whether `path` is `root` or lies in it; both real and absolute. */
export function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

/** Systems with a umask of 002 give every user a group of her own, with her number. */
function isPrivateGroup({ uid, gid }: Stats): boolean {
  return uid === gid && (gid === process.getgid?.() || uid === 0);
}

function realOf(path: string): string | undefined {
  return whereThere(() => realpathSync(path));
}

/** A link is looked at itself, so that one that leads to nothing yet is not taken for nothing. */
function lookAtEntry(path: string): Stats | undefined {
  return whereThere(() => lstatSync(path));
}

function whereThere<Seen>(look: () => Seen): Seen | undefined {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}
