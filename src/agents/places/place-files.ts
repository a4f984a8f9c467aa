import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { AgentConstraints } from "../../contracts/agent.ts";
import type { PlaceBreach } from "../../contracts/events/place-events.ts";
import { matchesPath } from "../../foundation/path-pattern.ts";
import {
  type FileListing,
  type ListedFile,
  listFiles,
  patternStarts,
} from "../../host/file-listing.ts";
import { fingerprintFile } from "../../host/git/file-fingerprint.ts";
import { findRepositoryPlace, type RepositoryPlace } from "../../host/git/repository-place.ts";
import { filesGitObeys } from "../../host/obeyed-files.ts";
import { isBelow } from "../../host/sandbox/sandbox-mounts.ts";
import { constraintUnverifiable } from "./errors.ts";

// Owns what is remembered of the files of one agent's place. It asks no git: what git ignores, hides or obeys
// counts as well, and no repository has a say in what is looked at.
// F1: a file has changed when the system says so and its content is another; of large files the system's word counts.
// F2: contents are read of those files only whose change would be a breach.

/** Looks at the files of one agent's place. */
export interface PlaceFiles {
  /** Remembers how the files are; the result says what became of them against the constraints. */
  look(): Promise<() => Promise<readonly PlaceBreach[]>>;
}

/** Whose files are looked at, and what is left out. */
export interface PlaceFilesOptions {
  readonly agent: string;
  /** Absolute. */
  readonly cwd: string;
  readonly constraints: AgentConstraints;
  /** Absolute paths that others change. */
  readonly written: readonly string[];
}

const MOST_FILES = 300_000;

/** The files of a place: of its whole repository where there is one, else of its directory. */
export function createPlaceFiles(options: PlaceFilesOptions): PlaceFiles {
  const known = new Map<string, KnownFile>();
  return {
    look: async () => {
      const scene = sceneOf(options);
      const before = await takeListing(scene);
      const prints = await readPrints(scene, before, known);
      return async () => {
        const after = await takeListing(scene);
        const changed: ListedFile[] = [];
        for (const key of new Set([...before.keys(), ...after.keys()])) {
          const [was, is] = [before.get(key), after.get(key)];
          const file = is ?? was;
          if (file === undefined || was?.stamp === is?.stamp) continue;
          const print = prints.get(key);
          const isSame = print !== undefined && is !== undefined && print === (await printOf(is));
          if (!isSame) changed.push(file);
        }
        return breachesOf(
          scene,
          changed.sort((left, right) => (left.path < right.path ? -1 : 1)),
        );
      };
    },
  };
}

interface KnownFile {
  readonly stamp: string;
  readonly print: string;
}

interface Scene extends PlaceFilesOptions {
  readonly root: string;
  readonly repository: RepositoryPlace | undefined;
  readonly scope: BreachScope;
}

function sceneOf(options: PlaceFilesOptions): Scene {
  const own = realpathSync(options.cwd);
  const repository = findRepositoryPlace(own);
  const root = repository?.root ?? own;
  const foldsCase = process.platform === "darwin";
  return { ...options, root, repository, scope: { directory: relative(root, own), foldsCase } };
}

async function takeListing(scene: Scene): Promise<FileListing> {
  const { agent, cwd, root, repository, constraints, written } = scene;
  const bounds = ({ path, isOutside }: { readonly path: string; readonly isOutside: boolean }) =>
    ruleOf({ path, leadsOut: isOutside }, constraints, scene.scope) !== undefined;
  const listed = await listFiles({
    ...{ root, starts: startsOf(scene), maxFiles: MOST_FILES },
    exclude: written
      .filter(existsSync)
      .map((path) => realpathSync(path))
      .filter((path) => !isBelow(root, path)),
    // Without a list of what may change, what lies beyond a link is nobody's concern unless the link is.
    follows: (path) =>
      constraints.fileScope?.include !== undefined || bounds({ path, isOutside: false }),
  });
  const reason = `it has more than ${MOST_FILES} files`;
  if (listed === undefined) throw constraintUnverifiable({ agent, directory: cwd, reason });
  if (repository === undefined) return listed;
  return new Map([...listed, ...(await listObeyed(repository))]);
}

/** What git obeys, named as if it lay in the root: that of a worktree lies elsewhere. */
async function listObeyed(repository: RepositoryPlace): Promise<FileListing> {
  const { gitDirectory, commonDirectory } = repository;
  const all = new Map<string, ListedFile>();
  for (const directory of new Set([commonDirectory, gitDirectory])) {
    const starts = filesGitObeys(repository).filter((path) => isBelow(path, directory));
    const options = { root: directory, starts, exclude: [], maxFiles: MOST_FILES };
    const listed = await listFiles({ ...options, follows: () => false });
    for (const file of listed?.values() ?? [])
      all.set(`${file.file}\0git`, { ...file, path: `.git/${file.path}` });
  }
  return all;
}

/** Where to begin: where nothing but some files is protected, nothing else has to be looked at. */
function startsOf({ root, cwd, constraints }: Scene): readonly string[] {
  const { fileScope, readOnly = [] } = constraints;
  if (fileScope?.include !== undefined) return [root];
  const patterns = [...readOnly, ...(fileScope?.exclude ?? [])];
  const own = realpathSync(cwd);
  return patternStarts(own, patterns).filter((start) => isBelow(start, root));
}

/** The contents of what is protected, read again only where the system says that they may have changed. */
async function readPrints(
  { constraints, scope }: Scene,
  listing: FileListing,
  known: Map<string, KnownFile>,
): Promise<ReadonlyMap<string, string>> {
  const prints = new Map<string, string>();
  for (const [key, file] of listing) {
    const { path, stamp, isOutside } = file;
    let found = known.get(key);
    if (found?.stamp !== stamp) {
      if (ruleOf({ path, leadsOut: isOutside }, constraints, scope) === undefined) continue;
      found = { stamp, print: await printOf(file) };
      known.set(key, found);
    }
    prints.set(key, found.print);
  }
  return prints;
}

function printOf({ file }: ListedFile): Promise<string> {
  return fingerprintFile("/", file);
}

function breachesOf(scene: Scene, changed: readonly ListedFile[]): readonly PlaceBreach[] {
  const own = realpathSync(scene.cwd);
  const files = changed.map(({ path, file, stamp, isLink, isOutside }) => ({
    path,
    leadsOut: isOutside || (isLink && leadsOut(file, stamp, own)),
  }));
  return findBreaches(files, scene.constraints, scene.scope);
}

/** Where a link leads stands in its stamp: by now it may lead elsewhere. */
function leadsOut(file: string, stamp: string, own: string): boolean {
  const [, target] = /^link (.*) \d+ \d+ \d+ \d+$/s.exec(stamp) ?? [];
  return target !== undefined && !isBelow(resolve(dirname(join(file)), target), own);
}

/** A file that is not as it was. */
export interface StrayFile {
  /** From the root of what was looked at. */
  readonly path: string;
  /** What a link that was made leads to is outside the agent's directory. */
  readonly leadsOut: boolean;
}

/** Where the agent's directory lies in what was looked at. */
interface BreachScope {
  /** Path from the root, empty for the root itself. */
  readonly directory: string;
  /** Whether names that differ in case only are the same file here. */
  readonly foldsCase: boolean;
}

/** What the constraints do not allow of what was changed; one entry per file. */
export function findBreaches(
  changed: readonly StrayFile[],
  constraints: AgentConstraints,
  scope: BreachScope,
): readonly PlaceBreach[] {
  return changed.flatMap((file): readonly PlaceBreach[] => {
    const rule = ruleOf(file, constraints, scope);
    return rule === undefined ? [] : [{ rule, path: file.path }];
  });
}

/** The rule that a change of a file would break; undefined for none. */
function ruleOf(
  { path, leadsOut }: StrayFile,
  { fileScope = {}, readOnly = [] }: AgentConstraints,
  { directory, foldsCase }: BreachScope,
): PlaceBreach["rule"] | undefined {
  const { include, exclude = [] } = fileScope;
  const own = below(directory, path);
  const isOneOf = (patterns: readonly string[], folds: boolean) =>
    own !== undefined && patterns.some((pattern) => matchesPath(pattern, own, folds));
  if (isOneOf(readOnly, foldsCase)) return "readOnly";
  if (isOneOf(exclude, foldsCase)) return "exclude";
  if (include !== undefined && !isOneOf(include, false)) return "include";
  return leadsOut ? "link" : undefined;
}

function below(directory: string, path: string): string | undefined {
  if (directory === "") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}
