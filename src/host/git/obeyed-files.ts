import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RepositoryPlace } from "./repository-place.ts";

// What makes git start something, take rules or read objects from elsewhere. What it writes by itself while
// somebody commits is not in it.
const OBEYED = [
  ...["config", "config.worktree", "commondir", "hooks", "info/attributes", "info/exclude"],
  ...["info/grafts", "info/sparse-checkout", "objects/info/alternates"],
];
const MAX_DEPTH = 5;

/** The files and directories of a repository that git obeys, absolute, whether they are there or not. */
export function obeyedFiles({
  gitDirectory,
  commonDirectory,
}: Omit<RepositoryPlace, "root">): readonly string[] {
  const directories = new Set([gitDirectory, commonDirectory]);
  return [...directories, ...modulesIn(join(commonDirectory, "modules"), 0)].flatMap((directory) =>
    OBEYED.map((name) => join(directory, name)),
  );
}

/** The repositories of submodules, which lie in that of their project. */
function modulesIn(directory: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH || !existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(directory, entry.name))
    .flatMap((each) => {
      if (!existsSync(join(each, "HEAD"))) return modulesIn(each, depth + 1);
      return [each, ...modulesIn(join(each, "modules"), depth + 1)];
    });
}
