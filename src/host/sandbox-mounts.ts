import { dirname, sep } from "node:path";
import type { Confinement } from "../contracts/host.ts";

/** A path of the real world as a confined program sees it. */
export interface SandboxMount {
  /** Absolute, all links resolved. */
  readonly path: string;
  readonly access: "writable" | "readable" | "hidden";
}

/** What is known of the paths of a confinement. */
export interface PathFacts {
  /** With all links resolved; a path that is not there keeps its name below what is. */
  resolve(path: string): string;
  exists(path: string): boolean;
}

/** Scratch space that every confined program has for itself. */
const PRIVATE_DIRECTORIES: readonly string[] = ["/tmp", "/var/tmp"];

/**
 * What is put over a read-only world, in order: the deeper path wins over the one around it, and of one path
 * `readOnly` over `writable` over `hidden`. A path that is not there is left out unless it lies where the program
 * may write: there it has to be taken first (`SandboxMount` of a path for which `exists` is false).
 */
export function planMounts(confine: Confinement, facts: PathFacts): readonly SandboxMount[] {
  const mounts = new Map<string, SandboxMount["access"]>();
  const real = (paths: readonly string[]) => paths.map((path) => facts.resolve(path));
  for (const path of PRIVATE_DIRECTORIES) if (facts.exists(path)) mounts.set(path, "hidden");
  for (const path of real(confine.hidden)) if (facts.exists(path)) mounts.set(path, "hidden");
  const writable = real(confine.writable);
  for (const path of writable) mounts.set(path, "writable");
  for (const path of real(confine.readOnly)) {
    const around = writable.filter((root) => path !== root && isBelow(path, root));
    // A directory in between could be renamed, and with it what is protected: only mounts cannot.
    for (const root of around)
      for (const parent of parentsBelow(path, root))
        if (facts.exists(parent) && !mounts.has(parent)) mounts.set(parent, "writable");
    if (around.length > 0 || facts.exists(path)) mounts.set(path, "readable");
  }
  return [...mounts]
    .map(([path, access]) => ({ path, access }))
    .sort((left, right) => depthOf(left.path) - depthOf(right.path));
}

/** Whether a path is a directory or lies in it; both absolute and resolved. */
export function isBelow(path: string, directory: string): boolean {
  const root = directory.endsWith(sep) ? directory : `${directory}${sep}`;
  return path === directory || path.startsWith(root);
}

function parentsBelow(path: string, root: string): readonly string[] {
  const parents: string[] = [];
  for (let parent = dirname(path); parent !== root && isBelow(parent, root); ) {
    parents.push(parent);
    parent = dirname(parent);
  }
  return parents;
}

function depthOf(path: string): number {
  return path === sep ? 0 : path.split(sep).length;
}
