import { relative, sep } from "node:path";
import { realLocation } from "./resolve-paths.ts";

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
