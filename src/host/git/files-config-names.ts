import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TroupeError } from "../../foundation/errors.ts";
import { isBelow } from "../sandbox/sandbox-mounts.ts";
import {
  type ConfigEntry,
  expandConfigPath,
  readGitConfigFile,
  type UserConfigPlaces,
  userConfigFiles,
} from "./config-files.ts";
import type { RepositoryPlace } from "./repository-place.ts";
import type { GitPorts } from "./run-git.ts";

// Configuration names files in three ways: as more configuration, as a path, and as text for a shell. Of a text for a
// shell the files count that its words name, and not what those files name in turn.

/** What is looked through. */
export interface NamedFilesSearch {
  readonly places: UserConfigPlaces;
  readonly repository: RepositoryPlace;
  /** Only files in these directories matter. */
  readonly within: readonly string[];
}

type Kind = "include" | "directory" | "path" | "command";

/** What a value is, by its key in lower case; the first that fits. A value of any other key counts as a command. */
const KINDS: readonly (readonly [RegExp, Kind | "text"])[] = [
  [/^include\.path$|^includeif\..*\.path$/s, "include"],
  [/^core\.hookspath$|^init\.templatedir$/, "directory"],
  [/^core\.(?:attributes|excludes)file$|^commit\.template$|^mailmap\.file$/, "path"],
  [/^blame\.ignorerevsfile$|^gpg\.ssh\.(?:allowedsigners|revocation)file$/, "path"],
  [/^(?:diff|merge)tool\..*\.path$|^(?:browser|man)\..*\.path$/s, "path"],
  [/^http\..*(?:cookiefile|sslcert|sslkey|sslcainfo)$|^core\.worktree$/s, "path"],
  // What names people, branches and other repositories. A program can only stand in `url` and `update` of others.
  [/^(?:user|author|committer|branch|color|column|i18n|extensions|safe)\./, "text"],
  [/^remote\..*\.(?:url|pushurl|fetch|push)$|^submodule\..*\.(?:url|path|branch|active)$/s, "text"],
];

const MOST_INCLUDES = 10;
const MOST_FILES = 100;
const HOOKS = [
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit"],
  ...["prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout"],
  ...["post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive"],
  ...["post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite"],
  ...["sendemail-validate", "fsmonitor-watchman", "p4-pre-submit", "post-index-change"],
];

/** The files and directories that git's configuration for a repository names, absolute, there or not. Raises HOST_GIT_FAILED. */
export async function filesConfigNames(
  host: GitPorts,
  search: NamedFilesSearch,
): Promise<readonly string[]> {
  const { places, repository } = search;
  const { commonDirectory, gitDirectory } = repository;
  const starts = [
    ...userConfigFiles(places),
    join(commonDirectory, "config"),
    join(gitDirectory, "config.worktree"),
  ];
  const found = new Set<string>();
  try {
    const reader = { host, search, found, read: new Set<string>() };
    for (const file of new Set(starts)) await readNamed(reader, file, 0);
  } catch (error) {
    // Without git on PATH, nothing is configured for anybody.
    if (!(error instanceof TroupeError && error.code === "HOST_COMMAND_NOT_FOUND")) throw error;
  }
  return [...found].flatMap((path) => outOfTheWay(path, search));
}

interface Reader {
  readonly host: GitPorts;
  readonly search: NamedFilesSearch;
  readonly found: Set<string>;
  readonly read: Set<string>;
}

async function readNamed(reader: Reader, file: string, depth: number): Promise<void> {
  if (depth > MOST_INCLUDES || reader.read.size >= MOST_FILES || reader.read.has(file)) return;
  reader.read.add(file);
  for (const entry of await readGitConfigFile(reader.host, file)) {
    const kind = KINDS.find(([pattern]) => pattern.test(entry.key))?.[1] ?? "command";
    if (kind === "text") continue;
    for (const path of namedBy(entry, kind, { file, search: reader.search })) {
      reader.found.add(path);
      // Whatever its condition says now, another branch or directory may fulfil it later.
      if (kind === "include") await readNamed(reader, path, depth + 1);
    }
  }
}

function namedBy(
  { value }: ConfigEntry,
  kind: Kind,
  { file, search }: { readonly file: string; readonly search: NamedFilesSearch },
): readonly string[] {
  const { root } = search.repository;
  const { home } = search.places;
  if (kind === "command") return wordsOf(value).flatMap((word, at) => fileOf(word, at, search));
  const base = kind === "include" ? dirname(file) : root;
  const path = value === "" ? undefined : expandConfigPath(value, { home, base });
  return path === undefined ? [] : [path];
}

/** The words of a text for a shell, without its quotes and operators. */
function wordsOf(text: string): readonly string[] {
  return text.split(/[\s"'`;|&()<>{}=,:]+|^!/).filter((word) => word !== "");
}

function fileOf(word: string, at: number, { repository, places }: NamedFilesSearch) {
  const { root } = repository;
  const path = expandConfigPath(word.replace(/^\$PWD\//, "./"), { home: places.home, base: root });
  if (path === undefined) return [];
  const stat = statSync(path, { throwIfNoEntry: false });
  // A bare first word is looked for on PATH.
  const isPath = word.includes("/");
  if (stat?.isFile()) return at > 0 || isPath ? [path] : [];
  const isMissing = stat === undefined && /^\.{0,2}\//.test(word);
  return isMissing && existsSync(dirname(path)) ? [path] : [];
}

/** A path within what matters; of one that holds the work itself only the hooks in it, of a missing one its first missing parent. */
function outOfTheWay(path: string, { within, repository }: NamedFilesSearch): readonly string[] {
  const holdsWork = (at: string) =>
    at === repository.root || within.some((directory) => isBelow(directory, at));
  const paths = holdsWork(path) ? HOOKS.map((name) => join(path, name)) : [path];
  return paths
    .filter((each) => within.some((directory) => isBelow(each, directory)))
    .map(firstMissing);
}

function firstMissing(path: string): string {
  const parent = dirname(resolve(path));
  return existsSync(parent) ? path : firstMissing(parent);
}
