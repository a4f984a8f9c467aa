import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RepositoryPlace } from "./git/repository-place.ts";

/** A file or directory of a project that something outside does what it says. */
export interface ObeyedFile {
  /** Relative to the directory in which it is obeyed. */
  readonly name: string;
  /** Who obeys it, and when. */
  readonly reason: string;
}

/**
 * What editors, shells, git and agents outside obey without being asked to run the project: opened, entered or
 * committed in, it starts programs. Confined programs cannot write it, whether it is there or not. Files that only
 * count once somebody runs the project (`package.json`, `Makefile`, `.npmrc`, `.env`) are work like any other.
 */
export const OBEYED_FILES: readonly ObeyedFile[] = [
  ...obeyed("version control runs hooks, filters, monitors and editors that it names", [
    ".git",
    ".hg",
  ]),
  ...obeyed("git fetches from where it says, at the next update of submodules", [".gitmodules"]),
  ...obeyed("its hooks run at the next commit", [
    ".husky",
    ".githooks",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    ...["lefthook", ".lefthook", "lefthook-local", ".lefthook-local"].flatMap((name) =>
      ["yml", "yaml", "toml", "json"].map((end) => `${name}.${end}`),
    ),
    ".lefthook",
    ".lefthook-local",
    ".overcommit.yml",
    ".huskyrc",
    ".huskyrc.json",
    ".lintstagedrc",
  ]),
  ...obeyed("editors run its tasks and tools when the directory is opened", [
    ".vscode",
    ".idea",
    ".zed",
    ".devcontainer",
    ".devcontainer.json",
  ]),
  ...obeyed("editors carry out its lines when a file is opened", [".vimrc", ".exrc", ".nvim.lua"]),
  ...obeyed("shells carry it out when the directory is entered", [
    ".envrc",
    ".direnv",
    ".mise.toml",
    "mise.toml",
    ".mise",
  ]),
  ...obeyed("agents take hooks, servers, rights and commands from it", [
    ".claude",
    ".claude.json",
    ".mcp.json",
    ".codex",
    ".gemini",
    ".cursor",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    ".goose",
    ".aider.conf.yml",
    ".continue",
    ".windsurf",
    ".roo",
    ".agents",
  ]),
];

function obeyed(reason: string, names: readonly string[]): readonly ObeyedFile[] {
  return names.map((name) => ({ name, reason }));
}

// What makes git start something, take rules or read objects from elsewhere. What it writes by itself while
// somebody commits is not in it.
const GIT_OBEYS = [
  ...["config", "config.worktree", "commondir", "hooks", "info/attributes", "info/exclude"],
  ...["info/grafts", "info/sparse-checkout", "objects/info/alternates"],
];
const MAX_DEPTH = 5;

/** What is obeyed in whatever directory it lies; `.git` is looked after by itself. */
export const OBEYED_NAMES: ReadonlySet<string> = new Set(
  OBEYED_FILES.map(({ name }) => name).filter((name) => name !== ".git"),
);

/** Why a file is obeyed, by the first part of its path that is; undefined for work like any other. */
export function obeyedReason(path: string): string | undefined {
  const parts = path.split("/");
  return OBEYED_FILES.find(({ name }) => parts.includes(name))?.reason;
}

/** The files and directories of a repository that git obeys, absolute, whether they are there or not. */
export function filesGitObeys({
  gitDirectory,
  commonDirectory,
}: Omit<RepositoryPlace, "root">): readonly string[] {
  const directories = new Set([gitDirectory, commonDirectory]);
  return [...directories, ...modulesIn(join(commonDirectory, "modules"), 0)].flatMap((directory) =>
    GIT_OBEYS.map((name) => join(directory, name)),
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
