import { basename, dirname, join } from "node:path";
import { CREDENTIAL_PLACES } from "./credential-places.ts";
import { isBelow, type PathFacts } from "./sandbox-mounts.ts";
import { SYSTEM_DIRECTORIES } from "./sandbox-system.ts";

/** What is known of directories with programs. */
export interface ToolFacts extends PathFacts {
  /** Where the links in a directory lead in the end; none for a directory that cannot be read. */
  linkTargets(directory: string): readonly string[];
}

/** Where programs are looked for. */
export interface ToolSearch {
  /** Absolute directories of PATH. */
  readonly directories: readonly string[];
  /** Absolute files of programs that are started, wherever they lie. */
  readonly programs: readonly string[];
  /** Directories that are somebody's home. */
  readonly homes: readonly string[];
}

/** Directories of programs whose parent is what was installed. */
const PROGRAM_DIRECTORIES: ReadonlySet<string> = new Set(["bin", "sbin", "shims", "scripts"]);

/** Hidden directories of a home that hold a toolchain and nothing else. */
const TOOLCHAINS: readonly string[] = [
  ...[".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".tfenv", ".plenv", ".nvm", ".fnm", ".n"],
  ...[".volta", ".asdf", ".sdkman", ".deno", ".bun", ".rustup", ".ghcup", ".opam", ".dotnet"],
  ...[".linuxbrew", ".juliaup", ".elan", ".cabal", ".stack", ".npm-global", ".rye", ".pixi"],
];

/** What programs of a directory need that lies beside it, by directory below a home. */
const BESIDE: readonly { readonly directory: string; readonly needs: readonly string[] }[] = [
  // Cargo's own directory has credentials in it; its programs only choose among toolchains.
  { directory: ".cargo/bin", needs: [".rustup"] },
  { directory: ".local/share/mise/shims", needs: [".local/share/mise/installs"] },
];

/**
 * What has to be seen so that the programs of PATH work: their directories with what was installed around them,
 * and where their links lead. Never a home, what holds one, or a directory with credentials in it.
 */
export function toolPaths(search: ToolSearch, facts: ToolFacts): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const pending = search.directories.filter(facts.exists).map(facts.resolve);
  const addProgram = (file: string) => {
    if (isSystem(file)) return;
    const [packages] = /^.*?\/node_modules(?=\/)/.exec(file) ?? [];
    if (packages !== undefined) found.add(packages);
    else if (PROGRAM_DIRECTORIES.has(basename(dirname(file)))) pending.push(dirname(file));
    else found.add(file);
  };
  for (const file of search.programs) if (facts.exists(file)) addProgram(facts.resolve(file));
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    if (seen.has(directory)) continue;
    seen.add(directory);
    if (isHome(directory, search.homes)) continue;
    if (!isSystem(directory)) {
      found.add(installedAt(directory, search.homes));
      for (const path of needsOf(directory, search.homes, facts)) found.add(path);
    }
    for (const target of facts.linkTargets(directory)) addProgram(target);
  }
  return [...found]
    .filter((path) => !isHome(path, search.homes))
    .filter((path) => ![...found].some((other) => other !== path && isBelow(path, other)))
    .sort();
}

/** What was installed around a directory of programs; the directory itself where that would show too much. */
function installedAt(directory: string, homes: readonly string[]): string {
  const prefix = dirname(directory);
  if (!PROGRAM_DIRECTORIES.has(basename(directory)) || dirname(prefix) === "/") return directory;
  return isHome(prefix, homes) || !isOnlyTools(prefix, homes) ? directory : prefix;
}

function isOnlyTools(prefix: string, homes: readonly string[]): boolean {
  return allHomes(prefix, homes).every((home) => {
    if (!isBelow(prefix, home)) return true;
    const name = prefix.slice(home.length + 1);
    const holdsCredentials = CREDENTIAL_PLACES.some((place) => isBelow(`/${place}`, `/${name}`));
    const isHiddenTop = name.startsWith(".") && !name.includes("/");
    return !holdsCredentials && (!isHiddenTop || TOOLCHAINS.includes(name));
  });
}

function needsOf(directory: string, homes: readonly string[], facts: ToolFacts): readonly string[] {
  return homes.flatMap((home) =>
    BESIDE.filter((each) => join(home, each.directory) === directory)
      .flatMap(({ needs }) => needs.map((need) => join(home, need)))
      .filter(facts.exists)
      .map(facts.resolve),
  );
}

/** Whether a directory is a home or has one in it. */
function isHome(directory: string, homes: readonly string[]): boolean {
  return isUsualHome(directory) || homes.some((home) => isBelow(home, directory));
}

/** The homes that are known, and the one in which this path lies where homes usually are. */
function allHomes(path: string, homes: readonly string[]): readonly string[] {
  const [usual] = /^\/home\/[^/]+/.exec(path) ?? [];
  return usual === undefined ? homes : [...homes, usual];
}

function isUsualHome(path: string): boolean {
  return path === "/home" || path === "/root" || dirname(path) === "/home";
}

function isSystem(path: string): boolean {
  return SYSTEM_DIRECTORIES.some((directory) => isBelow(path, directory));
}
