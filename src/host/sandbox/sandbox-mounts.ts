import { dirname, sep } from "node:path";
import type { Confinement } from "../../contracts/host.ts";

/** What a confined program finds at a path, which is absolute; `source` is absolute with all links resolved. */
export type SandboxMount =
  | { readonly access: "writable" | "readable"; readonly path: string; readonly source: string }
  /** Nothing, although what is around it is seen. */
  | { readonly access: "hidden"; readonly path: string }
  /** Empty space of its own, gone with the program. */
  | { readonly access: "private"; readonly path: string }
  /** A link as it is outside. */
  | { readonly access: "link"; readonly path: string; readonly target: string };

/** What is known of the paths of a confinement. */
export interface PathFacts {
  /** With all links resolved; a path that is not there keeps its name below what is. */
  resolve(path: string): string;
  exists(path: string): boolean;
}

/** The same, with the links that lie on the way of a path. */
export interface LinkedPathFacts extends PathFacts {
  /** Each by its own path with all links resolved but the last. */
  linksOn(path: string): readonly { readonly path: string; readonly target: string }[];
}

/** What is let in beside the confinement itself. */
export interface LetIn {
  /** What the system and programs need. Never more than the confinement says of the same path. */
  readonly readable: readonly string[];
  /** Directories that are there and empty. */
  readonly empty: readonly string[];
  /** What is hidden wherever something around it is seen. */
  readonly hidden: readonly string[];
}

/** Where programs keep scratch files; there is no other directory in which everybody may write. */
export const SCRATCH_DIRECTORY = "/tmp";

/**
 * All that a confined program sees of the files outside, in order: the deeper path wins over the one around it,
 * and of one path `scratch` over `readOnly` over `writable` over `hidden` over what is let in. A path that is not there is left
 * out unless it lies where the program may write: there it has to be taken first.
 */
export function planMounts(
  confine: Confinement,
  letIn: LetIn,
  facts: LinkedPathFacts,
): readonly SandboxMount[] {
  const mounts = new Map<string, SandboxMount>();
  const put = (access: "writable" | "readable", path: string, source = path) =>
    mounts.set(path, { access, path, source });
  const writable = confine.writable.map(facts.resolve);
  const isWritable = (path: string) => writable.some((root) => isBelow(path, root));
  for (const path of [SCRATCH_DIRECTORY, ...letIn.empty.map(facts.resolve)])
    if (!isWritable(path)) mounts.set(path, { access: "private", path });
  for (const path of letIn.readable.map(facts.resolve))
    if (!isWritable(path)) put("readable", path);
  for (const path of [...letIn.hidden, ...confine.hidden].map(facts.resolve))
    if (facts.exists(path)) mounts.set(path, { access: "hidden", path });
  for (const path of writable) put("writable", path);
  for (const path of [...confine.readOnly, ...confine.sockets].map(facts.resolve)) {
    const around = writable.filter((root) => path !== root && isBelow(path, root));
    // A directory in between could be renamed, and with it what is protected: only mounts cannot.
    for (const root of around)
      for (const parent of parentsBelow(path, root))
        if (facts.exists(parent) && !mounts.has(parent)) put("writable", parent);
    if (around.length > 0 || facts.exists(path)) put("readable", path);
  }
  for (const path of confine.scratch.map(facts.resolve))
    if (facts.exists(path)) mounts.set(path, { access: "private", path });
  if (confine.cache !== undefined)
    put("writable", `${facts.resolve(confine.home)}${sep}.cache`, facts.resolve(confine.cache));
  const named = [...confine.writable, ...confine.readOnly, confine.home, ...letIn.readable];
  for (const { path, target } of named.flatMap(facts.linksOn))
    if (!mounts.has(path)) mounts.set(path, { access: "link", path, target });
  return [...mounts.values()]
    .filter((mount) => hasEffect(mount, mounts))
    .sort((left, right) => depthOf(left.path) - depthOf(right.path));
}

/** Whether a path is a directory or lies in it; both absolute and resolved. */
export function isBelow(path: string, directory: string): boolean {
  const root = directory.endsWith(sep) ? directory : `${directory}${sep}`;
  return path === directory || path.startsWith(root);
}

/** Nothing has to be hidden where nothing is seen, and a link in what is seen is there already. */
function hasEffect(mount: SandboxMount, mounts: ReadonlyMap<string, SandboxMount>): boolean {
  if (mount.access !== "hidden" && mount.access !== "link") return true;
  const around = parentsBelow(mount.path, sep)
    .map((parent) => mounts.get(parent))
    .find((found) => found !== undefined && found.access !== "link");
  // What lies elsewhere outside has nothing of what lies at the path.
  const isSeen = around !== undefined && "source" in around && around.source === around.path;
  return mount.access === "hidden" ? isSeen : !isSeen && around?.access !== "hidden";
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
