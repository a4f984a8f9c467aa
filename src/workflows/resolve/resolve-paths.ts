import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { LoadOptions } from "./load-options.ts";

/** Whether an absolute path is the root or lies below it, as written: links are not followed. */
export function isInside(path: string, root: string): boolean {
  if (path.includes("\0")) return false;
  const way = relative(root, resolve(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The path with links followed, as far as it exists. */
export function realLocation(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realLocation(dirname(path)), basename(path));
  }
}

/** Names of directories whose files configure git, Troupe, editors or agents' programs. */
export const OBEYED_DIRECTORIES: ReadonlySet<string> = new Set([
  ...[".git", ".github", ".gitlab", ".hg", ".svn", ".husky", ".troupe"],
  ...[".claude", ".codex", ".gemini", ".cursor", ".opencode", ".goose", ".aider"],
  ...[".vscode", ".idea", ".devcontainer", ".direnv", ".ssh", "node_modules"],
]);

/** The names of a path below a root, as it is written and with links followed. */
export function namesBelow(path: string, root: string): readonly string[] {
  return [path, realLocation(path)].flatMap((at) => relative(root, at).toLowerCase().split(sep));
}

/** The absolute directory of an agent. */
export function resolveAgentDirectory(
  cwd: string,
  options: Pick<LoadOptions, "cwd" | "projectRoot">,
): string {
  return resolve(options.cwd ?? options.projectRoot, cwd);
}

/** The file and export that `./agents.ts#summarise` names, relative to the workflow file; undefined when it is written otherwise. */
export function resolveModule(
  text: string,
  options: Pick<LoadOptions, "fileDirectory" | "cwd" | "projectRoot">,
): { readonly path: string; readonly name: string } | undefined {
  const match = /^([^#]+)#([A-Za-z_$][\w$]*)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const base = options.fileDirectory ?? options.cwd ?? options.projectRoot;
  return { path: resolve(base, match[1]), name: match[2] };
}
