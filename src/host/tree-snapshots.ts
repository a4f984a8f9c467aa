import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fingerprintFile } from "./file-fingerprint.ts";
import { type GitPorts, git, mustGit } from "./git.ts";
import { type Repository, withVariables, writingPorts } from "./git-repository.ts";

/** All files of a directory at one moment, by what names them and their content. */
export interface TreeSnapshot {
  /** Id of a tree of git. */
  readonly tree: string;
  /** Files that git does not follow, with their fingerprints. */
  readonly watched: ReadonlyMap<string, string>;
}

/** A file that differs between two snapshots. */
export interface TreeChange {
  /** From the root of the working tree. */
  readonly path: string;
  readonly isLink: boolean;
}

/** Compares the files of a working tree between moments. */
export interface TreeSnapshots {
  take(): Promise<TreeSnapshot>;
  /** What became another between two snapshots: contents, modes, names, kinds. Raises HOST_GIT_FAILED. */
  changes(before: TreeSnapshot, after: TreeSnapshot): Promise<readonly TreeChange[]>;
}

export interface TreeSnapshotsOptions {
  readonly repository: Pick<Repository, "root" | "commonDirectory">;
  /** Absolute directory for what is remembered; nobody else writes there. */
  readonly directory: string;
  /** Paths from the root that are left out with all that is in them. */
  readonly exclude: readonly string[];
  /** Patterns of git for files that count although git ignores them. */
  readonly watch: readonly string[];
}

const LINK_MODE = "120000";

/**
 * Snapshots by an index and a store of objects that only Troupe has: nothing of the repository is written, and
 * no flag in its own index can hide a change.
 */
export function createTreeSnapshots(host: GitPorts, options: TreeSnapshotsOptions): TreeSnapshots {
  const { repository, directory, exclude, watch } = options;
  const { root, commonDirectory } = repository;
  const objects = join(directory, "objects");
  const own = async () => {
    await mkdir(objects, { recursive: true, mode: 0o700 });
    return withVariables(await writingPorts(host, root), {
      GIT_INDEX_FILE: join(directory, "index"),
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(commonDirectory, "objects"),
    });
  };
  return {
    take: async () => {
      const writing = await own();
      const left = await excludeSpecs(host, root, exclude);
      await mustGit(writing, root, ["add", "--all", "--", ":(top)", ...left]);
      const tree = (await mustGit(writing, root, ["write-tree"])).stdout.trim();
      const ignored = [...(await listIgnored(host, root, watch))];
      const info = { root: commonDirectory, path: "info/exclude" };
      const entries = await Promise.all([
        ...ignored.map(async (path) => [path, await fingerprintFile(root, path)] as const),
        // What git ignores by this file it would not show.
        (async () => [".git/info/exclude", await fingerprintFile(info.root, info.path)] as const)(),
      ]);
      return { tree, watched: new Map(entries) };
    },
    changes: async (before, after) => {
      const flags = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
      const args = ["diff-tree", ...flags, before.tree, after.tree];
      const { stdout } = await mustGit(await own(), root, args);
      return [...toChanges(stdout), ...watchedChanges(before.watched, after.watched)];
    },
  };
}

/** What is left out, except for what is ignored anyway: git refuses to have that named. */
async function excludeSpecs(
  host: GitPorts,
  root: string,
  exclude: readonly string[],
): Promise<readonly string[]> {
  if (exclude.length === 0) return [];
  const { stdout } = await git(host, root, ["check-ignore", "--no-index", "--", ...exclude]);
  // In a directory that is ignored, everything is.
  const ignored = new Set(stdout.split("\n"));
  const left = exclude.filter((path) => !ignored.has(path));
  return left.map((path) => `:(top,exclude,literal)${path}`);
}

async function listIgnored(
  host: GitPorts,
  root: string,
  watch: readonly string[],
): Promise<readonly string[]> {
  if (watch.length === 0) return [];
  const flags = ["-z", "--others", "--ignored", "--exclude-standard"];
  const { stdout } = await mustGit(host, root, ["ls-files", ...flags, "--", ...watch]);
  return stdout.split("\0").filter((path) => path !== "");
}

/** `--raw -z` prints `:<mode> <mode> <id> <id> <letter>` and a path in turn. */
function toChanges(output: string): readonly TreeChange[] {
  const fields = output.split("\0");
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode] = (fields[index] ?? "").split(" ");
    changes.push({ path: fields[index + 1] ?? "", isLink: mode === LINK_MODE });
  }
  return changes;
}

function watchedChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly TreeChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, isLink: after.get(path)?.startsWith("link ") ?? false }));
}
