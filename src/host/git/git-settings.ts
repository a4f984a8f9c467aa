import { statSync } from "node:fs";
import { join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import {
  type ConfigEntry,
  readGitConfigFile,
  readUserConfig,
  type UserConfigPlaces,
  userExcludesFile,
} from "./config-files.ts";
import { readRegularFile } from "./read-regular-file.ts";
import type { RepositoryPlace } from "./repository-place.ts";
import type { GitPorts } from "./run-git.ts";
import { filterText, type UserFilter, userFilters } from "./user-filters.ts";

/** What counts of all that is configured: values that are checked, from a list, and nothing that is a program. */
export interface GitSettings {
  /** The text of a configuration of git. */
  readonly text: string;
  readonly isSparse: boolean;
  /** Undefined: branches are files. */
  readonly refStorage: string | undefined;
  /** Whose name commits have: variables of git. */
  readonly identity: { readonly [variable: string]: string };
  /** Filters that are configured anywhere, by name: git would run them. */
  readonly filters: ReadonlySet<string>;
  /** Those of the user's own configuration, by name. */
  readonly userFilters: ReadonlyMap<string, UserFilter>;
  /** Those of them that are trusted: `text` has them, and git runs them. */
  readonly runs: ReadonlySet<string>;
  /** What the user's own list of ignored files says. */
  readonly userExcludes: string;
}

const BOOLEAN = /^(?:true|false|yes|no|on|off|0|1)$/i;
const COUNTED: ReadonlyMap<string, RegExp> = new Map([
  ["core.autocrlf", /^(?:true|false|input)$/i],
  ["core.eol", /^(?:lf|crlf|native)$/i],
  ["core.safecrlf", /^(?:true|false|warn)$/i],
  ["core.filemode", BOOLEAN],
  ["core.symlinks", BOOLEAN],
  ["core.ignorecase", BOOLEAN],
  ["core.precomposeunicode", BOOLEAN],
  ["core.sparsecheckout", BOOLEAN],
  ["core.sparsecheckoutcone", BOOLEAN],
  ["extensions.objectformat", /^(?:sha1|sha256)$/i],
]);
const OF_USER: ReadonlySet<string> = new Set(["core.autocrlf", "core.eol", "core.safecrlf"]);
const MAX_EXCLUDES_BYTES = 1024 * 1024;

/** Whose configuration counts, and how far. */
export interface UserSettings {
  readonly places: UserConfigPlaces;
  /** Whether a filter of the user's own may run in this project. Defaults to none. */
  readonly trustsFilter?: ((filter: UserFilter) => boolean) | undefined;
}

/** Reads what is configured for a repository, its own values by copies. Raises HOST_GIT_FAILED. */
export async function readGitSettings(
  host: GitPorts,
  place: RepositoryPlace,
  { places, trustsFilter = () => false }: UserSettings,
): Promise<GitSettings> {
  const ofUser = await readUserConfig(host, places, place.gitDirectory);
  assertOwned(place, ofUser);
  const shared = await readGitConfigFile(host, join(place.commonDirectory, "config"));
  const hasOwn = isOn(lastValue(shared, "extensions.worktreeconfig"));
  const own = hasOwn
    ? await readGitConfigFile(host, join(place.gitDirectory, "config.worktree"))
    : [];
  const ofRepository = [...shared, ...own];
  const counted = [...ofUser.filter(({ key }) => OF_USER.has(key)), ...ofRepository];
  const values = [...COUNTED].flatMap(([key, allowed]): readonly ConfigEntry[] => {
    const value = lastValue(counted, key);
    return value !== undefined && allowed.test(value) ? [{ key, value }] : [];
  });
  const excludes = userExcludesFile(ofUser, places);
  const known = userFilters(ofUser);
  const trusted = known.filter(trustsFilter);
  return {
    text: `${toText(values)}${filterText(trusted)}`,
    userFilters: new Map(known.map((filter) => [filter.name, filter])),
    runs: new Set(trusted.map(({ name }) => name)),
    isSparse: isOn(lastValue(values, "core.sparsecheckout")),
    refStorage: lastValue(ofRepository, "extensions.refstorage"),
    filters: filtersIn([...ofUser, ...ofRepository]),
    identity: identityOf([...ofUser, ...ofRepository]),
    userExcludes: excludes === undefined ? "" : readRegularFile(excludes, MAX_EXCLUDES_BYTES),
  };
}

/** As git has it: what belongs to somebody else is left alone unless the user says that it is safe. */
function assertOwned({ root, gitDirectory }: RepositoryPlace, ofUser: readonly ConfigEntry[]) {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const strange = [root, gitDirectory].find((path) => statSync(path).uid !== uid);
  if (strange === undefined) return;
  let safe: string[] = [];
  for (const { key, value } of ofUser) {
    if (key !== "safe.directory") continue;
    safe = value === "" ? [] : [...safe, value];
  }
  if (safe.includes("*") || safe.includes(root)) return;
  const reason = `${strange} belongs to another user; git config --global --add safe.directory ${root} lets it be used`;
  throw gitFailed({ cwd: root, action: "use of the repository", reason });
}

function lastValue(entries: readonly ConfigEntry[], key: string): string | undefined {
  return entries.findLast((entry) => entry.key === key)?.value;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && /^(?:true|yes|on|1)$/i.test(value);
}

function filtersIn(entries: readonly ConfigEntry[]): ReadonlySet<string> {
  const names = entries.flatMap(({ key, value }) => {
    const [, name] = /^filter\.(.+)\.(?:clean|smudge|process)$/s.exec(key) ?? [];
    return name === undefined || value === "" ? [] : [name];
  });
  return new Set(names);
}

function toText(values: readonly ConfigEntry[]): string {
  const hasExtension = values.some(({ key }) => key.startsWith("extensions."));
  const lines = values.map(({ key, value }) => {
    const [section, name] = key.split(".");
    return `[${section}]\n\t${name} = ${value}\n`;
  });
  const standing = [
    "[core]\n",
    `\trepositoryformatversion = ${hasExtension ? 1 : 0}\n`,
    "\tbare = false\n\tlogAllRefUpdates = true\n",
  ];
  return [...standing, ...lines].join("");
}

function identityOf(entries: readonly ConfigEntry[]): GitSettings["identity"] {
  const [name, email] = ["user.name", "user.email"].map((key) =>
    (lastValue(entries, key) ?? "").replace(/[\p{Cc}<>]/gu, "").trim(),
  );
  const isSomebody = name !== undefined && name !== "" && email !== undefined && email !== "";
  const [who, where] = isSomebody ? [name, email] : ["Troupe", "troupe@localhost"];
  return {
    GIT_AUTHOR_NAME: who,
    GIT_AUTHOR_EMAIL: where,
    GIT_COMMITTER_NAME: who,
    GIT_COMMITTER_EMAIL: where,
  };
}
