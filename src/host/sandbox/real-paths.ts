import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";
import type { LinkedPathFacts } from "./sandbox-mounts.ts";
import type { ToolFacts } from "./tool-directories.ts";

const MOST_LINKS = 40;

/** What this machine's file system says of paths. */
export const realPaths: LinkedPathFacts & ToolFacts = {
  resolve: realPlace,
  exists: existsSync,
  linksOn,
  linkTargets,
};

/** The path with all links resolved; what does not exist keeps its name below what does. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const isAbsent = ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "");
    if (!isAbsent || dirname(path) === path) throw error;
    return join(realPlace(dirname(path)), basename(path));
  }
}

/** Walks a path as the system does, and the paths to which its links lead. */
function linksOn(path: string): readonly { readonly path: string; readonly target: string }[] {
  const links: { path: string; target: string }[] = [];
  const names = path.split(sep).filter((name) => name !== "");
  let at: string = sep;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = resolve(at, name);
    const target = name === ".." ? undefined : linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    if (links.length === MOST_LINKS) break;
    links.push({ path: next, target });
    names.unshift(...target.split(sep).filter((part) => part !== ""));
    if (target.startsWith(sep)) at = sep;
  }
  return links;
}

function linkTarget(path: string): string | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? readlinkSync(path) : undefined;
}

function linkTargets(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => join(directory, entry.name))
      .filter(existsSync)
      .map((link) => realpathSync(link));
  } catch {
    // Programs that cannot be seen cannot be started.
    return [];
  }
}
