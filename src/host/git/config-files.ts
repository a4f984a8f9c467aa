import { dirname, isAbsolute, join, resolve } from "node:path";
import { gitFailed } from "../system/errors.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { type GitPorts, runGit } from "./run-git.ts";

/** A value of a configuration: its key in lower case but for the middle part, and its text. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: string;
}

/** The variables that say where a user's own configuration of git lies. */
export interface UserConfigPlaces {
  readonly home: string | undefined;
  /** XDG_CONFIG_HOME. */
  readonly configHome: string | undefined;
  /** GIT_CONFIG_GLOBAL. */
  readonly file: string | undefined;
}

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_INCLUDES = 5;

/** What one file of configuration says, what it includes left out. Empty without one. Raises HOST_GIT_FAILED. */
export async function readGitConfigFile(
  host: GitPorts,
  path: string,
): Promise<readonly ConfigEntry[]> {
  const stdin = readRegularFile(path, MAX_CONFIG_BYTES);
  if (stdin === "") return [];
  const env = { GIT_DIR: "/dev/null" };
  const args = ["config", "--file", "-", "--no-includes", "--null", "--list"];
  const listed = await runGit(host, { cwd: "/", args, env, stdin });
  if (listed.exitCode !== 0)
    throw gitFailed({ cwd: dirname(path), action: `config of ${path}`, reason: listed.stderr });
  return listed.stdout.split("\0").flatMap((record) => {
    const end = record.indexOf("\n");
    // A key without a value is a boolean.
    if (record === "") return [];
    return [end < 0 ? { key: record, value: "true" } : toEntry(record, end)];
  });
}

/** What the machine and its user configure for git, later entries winning, files that they include in place. */
export async function readUserConfig(
  host: GitPorts,
  places: UserConfigPlaces,
  gitDirectory: string,
): Promise<readonly ConfigEntry[]> {
  const reader = { host, places, gitDirectory };
  const found: ConfigEntry[] = [];
  for (const path of userConfigFiles(places)) found.push(...(await readIncluding(reader, path, 0)));
  return found;
}

/** Where the user's list of files that git is to ignore lies, by what is configured. */
export function userExcludesFile(
  entries: readonly ConfigEntry[],
  { home, configHome }: UserConfigPlaces,
): string | undefined {
  const named = entries.findLast(({ key }) => key === "core.excludesfile")?.value;
  if (named !== undefined) return expandConfigPath(named, { home, base: undefined });
  const base = configHome || (home === undefined ? undefined : join(home, ".config"));
  return base === undefined ? undefined : join(base, "git", "ignore");
}

interface Reader {
  readonly host: GitPorts;
  readonly places: UserConfigPlaces;
  readonly gitDirectory: string;
}

/** The files of a machine and its user, in the order in which git reads them. */
export function userConfigFiles({ home, configHome, file }: UserConfigPlaces): readonly string[] {
  const system = "/etc/gitconfig";
  if (file !== undefined && file !== "") return [system, file];
  const base = configHome || (home === undefined ? undefined : join(home, ".config"));
  return [
    system,
    ...(base === undefined ? [] : [join(base, "git", "config")]),
    ...(home === undefined ? [] : [join(home, ".gitconfig")]),
  ];
}

async function readIncluding(
  reader: Reader,
  path: string,
  depth: number,
): Promise<readonly ConfigEntry[]> {
  const entries = await readGitConfigFile(reader.host, path);
  const all: ConfigEntry[] = [];
  for (const entry of entries) {
    all.push(entry);
    if (depth >= MAX_INCLUDES || !includes(entry.key, reader)) continue;
    const { home } = reader.places;
    const file = expandConfigPath(entry.value, { home, base: dirname(path) });
    if (file !== undefined) all.push(...(await readIncluding(reader, file, depth + 1)));
  }
  return all;
}

/** Of the conditions those that name a directory above the repository are known. */
function includes(key: string, { gitDirectory, places: { home } }: Reader): boolean {
  if (key === "include.path") return true;
  const [, pattern] = /^includeif\.gitdir(?:\/i)?:(.+?)(?:\*\*)?\.path$/i.exec(key) ?? [];
  if (pattern?.endsWith("/") !== true) return false;
  const directory = expandConfigPath(pattern, { home, base: undefined });
  return directory !== undefined && `${gitDirectory}/`.startsWith(`${directory}/`);
}

/** A path as configuration writes it; undefined for one that is relative to nothing. */
export function expandConfigPath(
  path: string,
  { home, base }: { readonly home: string | undefined; readonly base: string | undefined },
): string | undefined {
  if (path.startsWith("~/")) return home === undefined ? undefined : resolve(home, path.slice(2));
  if (isAbsolute(path)) return resolve(path);
  return base === undefined ? undefined : resolve(base, path);
}

function toEntry(record: string, end: number): ConfigEntry {
  return { key: record.slice(0, end), value: record.slice(end + 1) };
}
