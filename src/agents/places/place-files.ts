import { readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { AgentConstraints } from "../../contracts/agent.ts";
import type { PlaceBreach } from "../../contracts/events/place-events.ts";
import { listFiles } from "../../host/file-listing.ts";
import type { GitPorts } from "../../host/git.ts";
import { readRepository } from "../../host/git-repository.ts";
import { isBelow } from "../../host/sandbox-mounts.ts";
import {
  createTreeSnapshots,
  type TreeSnapshot,
  type TreeSnapshots,
} from "../../host/tree-snapshots.ts";
import { toPathspec } from "./confine-agent.ts";
import { constraintUnverifiable } from "./errors.ts";
import { type BreachScope, type ChangedFile, findBreaches } from "./find-breaches.ts";

/** Looks at the files of one agent's place, one look at a time. */
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
  /** Absolute directory for what is remembered. */
  readonly memory: string;
  /** Absolute paths that others change. */
  readonly written: readonly string[];
}

const MOST_FILES = 50_000;

/** The files of a place, by git where there is one and by themselves elsewhere. */
export async function createPlaceFiles(
  host: GitPorts,
  options: PlaceFilesOptions,
): Promise<PlaceFiles> {
  const repository = await readRepository(host, options.cwd);
  if (repository === undefined) return listedFiles(options);
  const { root } = repository;
  const snapshots = createTreeSnapshots(host, {
    repository,
    directory: options.memory,
    exclude: inside(root, options.written),
    watch: watchSpecs(root, options),
  });
  return oneAtATime(snapshots, { ...options, root });
}

/** Snapshots share an index, so that two turns of an agent must not take one at the same time. */
function oneAtATime(
  snapshots: TreeSnapshots,
  options: PlaceFilesOptions & { readonly root: string },
): PlaceFiles {
  let last: Promise<unknown> = Promise.resolve();
  const take = (): Promise<TreeSnapshot> => {
    const next = last.then(() => snapshots.take());
    // Whoever asked sees what went wrong.
    last = next.catch(() => {});
    return next;
  };
  return {
    look: async () => {
      const before = await take();
      return async () => {
        const changes = await snapshots.changes(before, await take());
        return breachesOf(changes, options);
      };
    },
  };
}

function listedFiles(options: PlaceFilesOptions): PlaceFiles {
  const { agent, cwd, written } = options;
  const list = async () => {
    const files = await listFiles(cwd, { exclude: inside(cwd, written), maxFiles: MOST_FILES });
    if (files !== undefined) return files;
    const reason = `it is no git repository and has more than ${MOST_FILES} files`;
    throw constraintUnverifiable({ agent, directory: cwd, reason });
  };
  return {
    look: async () => {
      const before = await list();
      return async () => {
        const after = await list();
        const paths = [...new Set([...before.keys(), ...after.keys()])];
        const changes = paths
          .filter((path) => before.get(path) !== after.get(path))
          .map((path) => ({ path, isLink: after.get(path)?.startsWith("link ") ?? false }));
        return breachesOf(changes, { ...options, root: cwd });
      };
    },
  };
}

function breachesOf(
  changes: readonly { readonly path: string; readonly isLink: boolean }[],
  { root, cwd, constraints }: PlaceFilesOptions & { readonly root: string },
): readonly PlaceBreach[] {
  const own = realpathSync(cwd);
  const changed = changes.map(
    ({ path, isLink }): ChangedFile => ({ path, leadsOut: isLink && leadsOut(root, path, own) }),
  );
  const scope: BreachScope = {
    directory: relative(realpathSync(root), own),
    foldsCase: process.platform === "darwin",
  };
  return findBreaches(changed, constraints, scope);
}

function leadsOut(root: string, path: string, own: string): boolean {
  try {
    const target = readlinkSync(join(root, path));
    return !isBelow(resolve(dirname(join(root, path)), target), own);
  } catch {
    // It is gone again.
    return false;
  }
}

/** Paths of these below the root, from there. */
function inside(root: string, paths: readonly string[]): readonly string[] {
  return paths
    .map((path) => relative(root, path))
    .filter((path) => path !== "" && !path.startsWith(".."));
}

/** Files that git ignores are looked at where `readOnly` names them. */
function watchSpecs(root: string, { cwd, constraints }: PlaceFilesOptions): readonly string[] {
  const directory = relative(root, realpathSync(cwd));
  const patterns = [...(constraints.readOnly ?? []), ...(constraints.fileScope?.exclude ?? [])];
  const below = patterns.map((pattern) => (directory === "" ? pattern : `${directory}/${pattern}`));
  return below.flatMap((pattern) => [toPathspec(pattern), toPathspec(`${pattern}/**`)]);
}
