import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { TroupeError } from "../../foundation/errors.ts";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { isBelow } from "../sandbox/sandbox-mounts.ts";
import { commandNotFound } from "../system/errors.ts";
import type { UserConfigPlaces } from "./config-files.ts";
import { filesConfigNames } from "./files-config-names.ts";
import type { DoorOptions, GitDoor } from "./git-door.ts";
import { readBranchHead } from "./git-head.ts";
import { readGitSettings, type UserSettings } from "./git-settings.ts";
import { findRepositoryPlace, type RepositoryPlace } from "./repository-place.ts";
import { type GitCall, type GitPorts, mustRunGit, runGit } from "./run-git.ts";
import { makeLanding, makeShadow } from "./shadow.ts";

// Owns the shadows of a process: git directories of Troupe's own, one per working tree, and all that git does.
// D1: git is started here only, with an environment made from nothing, on a directory that names no program.
// D2: configuration is read as data, by copies of values from a list; of programs only filters of the user's own that
//     she trusted in this project.
// D3: shadows lie in a private directory and go with the host.

/** The repositories that a host works on. */
export interface GitRepositories {
  /** The working tree around a directory; undefined outside one, and without git. Raises HOST_GIT_FAILED. */
  open(cwd: string): Promise<GitDoor | undefined>;
  /** A working tree whose place is known. Raises HOST_GIT_FAILED, HOST_COMMAND_NOT_FOUND. */
  openAt(place: RepositoryPlace): Promise<GitDoor>;
  /** What git's configuration names in a working tree, below these directories: absolute paths. Raises HOST_GIT_FAILED. */
  filesNamed(place: RepositoryPlace, within: readonly string[]): Promise<readonly string[]>;
  /** Removes all that was remembered. */
  close(): Promise<void>;
}

/** A host by what it does with git. */
export interface GitHost {
  readonly repositories: GitRepositories;
}

/** What repositories are worked on with. */
export interface RepositoriesOptions {
  readonly places: UserConfigPlaces;
  readonly trustsFilter?: UserSettings["trustsFilter"];
  /** Absolute paths that are Troupe's own, wherever they lie. */
  readonly ownFiles: readonly string[];
  /** Absolute directory for shadows; a temporary one without it. */
  readonly directory: string | undefined;
}

/** Opens repositories, each once. Makes nothing before the first. */
export function createGitRepositories(
  host: GitPorts,
  options: RepositoriesOptions,
): GitRepositories {
  const doors = new Map<string, Promise<GitDoor>>();
  let scratch: string | undefined;
  const parent = () => {
    scratch ??= makeScratch(options.directory);
    return scratch;
  };
  const openAt = (place: RepositoryPlace) => {
    const key = JSON.stringify([place.root, place.gitDirectory, place.commonDirectory]);
    const opening = doors.get(key) ?? openDoor(host, place, { ...options, parent });
    doors.set(key, opening);
    // The next one tries again.
    opening.catch(() => doors.delete(key));
    return opening;
  };
  return {
    openAt,
    open: async (cwd) => {
      const place = findRepositoryPlace(cwd);
      if (place === undefined) return undefined;
      try {
        return await openAt(place);
      } catch (error) {
        if (error instanceof TroupeError && error.code === commandNotFound.code) return undefined;
        throw error;
      }
    },
    filesNamed: (repository, within) =>
      filesConfigNames(host, { places: options.places, repository, within }),
    close: async () => {
      if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
      scratch = undefined;
      doors.clear();
    },
  };
}

/** Never a directory that was there before: others may have written into it. */
function makeScratch(directory: string | undefined): string {
  if (directory === undefined) return mkdtempSync(join(tmpdir(), `troupe-git-${process.pid}-`));
  makeDirectory(directory, 0o700);
  return mkdtempSync(join(realpathSync(directory), "git-"));
}

type DoorParts = RepositoriesOptions & { readonly parent: () => string };

async function openDoor(
  host: GitPorts,
  place: RepositoryPlace,
  { places, trustsFilter, ownFiles: given, parent }: DoorParts,
): Promise<GitDoor> {
  const settings = await readGitSettings(host, place, { places, trustsFilter });
  // The programs of trusted filters are the user's own, and look for what is theirs.
  const home = settings.runs.size > 0 && places.home !== undefined ? { HOME: places.home } : {};
  // What Troupe makes for others to work in lies in its own directory, too.
  const ownFiles = given.map(resolved).filter((path) => !isBelow(place.root, path));
  const directory = makeShadow({
    ...{ place, settings, parent: parent() },
    excludes: ownFiles.map((path) => toPattern(place.root, path)).join(""),
  });
  const index = { ...home, GIT_INDEX_FILE: join(directory, "index") };
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...{ place, settings, directory, ownFiles, memory: { indexOf: undefined, links: new Map() } },
    ...commandsOn(host, { place, settings, directory, env: index }),
    filesNamed: () => filesConfigNames(host, { places, repository: place, within: [place.root] }),
    head: () => readBranchHead(place),
    alone: (work) => {
      const next = last.then(work);
      // Whoever asked sees what went wrong.
      last = next.catch(() => {});
      return next;
    },
    landing: async (work) => {
      const made = makeLanding({ place, settings, parent: parent() });
      const env = { ...home, GIT_INDEX_FILE: join(place.gitDirectory, "index") };
      try {
        return await work({
          place,
          settings,
          ...commandsOn(host, { place, settings, directory: made, env, hasExactNames: true }),
        });
      } finally {
        rmSync(made, { recursive: true, force: true });
      }
    },
  };
}

interface CommandParts extends Pick<GitDoor, "place" | "settings" | "directory"> {
  readonly env: { readonly [name: string]: string };
  readonly hasExactNames?: boolean;
}

function commandsOn(
  host: GitPorts,
  { place: { root }, settings, directory, env, hasExactNames = false }: CommandParts,
): Pick<GitDoor, "run" | "must"> {
  const toCall = (args: readonly string[], more: DoorOptions): GitCall => ({
    ...{ cwd: root, hasExactNames },
    ...more,
    args,
    env: { GIT_DIR: directory, GIT_WORK_TREE: root, ...settings.identity, ...env, ...more.env },
  });
  return {
    run: (args, more = {}) => runGit(host, toCall(args, more)),
    must: (args, more = {}) => mustRunGit(host, toCall(args, more)),
  };
}

/** With links resolved as far as it is there: what is not there yet may be made later. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(resolved(dirname(path)), basename(path));
  }
}

function toPattern(root: string, path: string): string {
  const inside = relative(root, path);
  if (inside === "" || inside.startsWith("..")) return "";
  return `/${inside.replace(/[\\*?[\]! #]/g, "\\$&")}\n`;
}
