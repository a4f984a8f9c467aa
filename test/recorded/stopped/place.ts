/**
 * Where stopped runs were recorded and are restored. Journals, git worktrees and the files of agents' programs hold absolute paths,
 * and a journal is sealed, so that none of them can be rewritten: each recording has a directory under a fixed name, which tests make
 * again and remove. Two test processes that need the same one at the same time take turns.
 */
import { spawnSync } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The directory that holds what was recorded: never that of TMPDIR, which is another one on each machine. */
const PLACES = "/tmp/troupe-recorded-runs";
/** Holds what is kept of all places. */
export const ARCHIVES = join(import.meta.dirname, "archives");
const PATIENCE_MS = 300_000;

/** The directories of one recording. */
export interface Place {
  readonly root: string;
  readonly project: string;
  /** The home of its user, with what Troupe and agents' programs keep there. */
  readonly home: string;
  readonly env: { readonly [name: string]: string };
}

/** A place that nobody else uses until it is released. */
export interface HeldPlace extends Place {
  readonly release: () => void;
}

/** Makes the empty directory of a recording. */
export function holdPlace(name: string): HeldPlace {
  mkdirSync(PLACES, { recursive: true, mode: 0o700 });
  const unlock = lock(join(PLACES, `${name}.lock`));
  const root = join(PLACES, name);
  const empty = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  // A process that was killed may have left it.
  empty();
  const [project, home] = [join(root, "project"), join(root, "home")];
  for (const directory of [root, project, home, join(home, "run")])
    mkdirSync(directory, { mode: 0o700 });
  const release = () => {
    empty();
    unlock();
  };
  return { root, project, home, env: environmentOf(home), release };
}

/** Puts back what was recorded. */
export function restorePlace(recording: string, name: string): HeldPlace {
  const place = holdPlace(name);
  tar("-xpzf", archiveOf(recording), "--no-same-owner", "-C", place.root);
  return place;
}

/** Keeps what a place holds. */
export function keepPlace({ root }: Place, recording: string): void {
  const plain = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  const left = [
    "*-shm",
    "./home/.troupe/cache",
    "./home/run/*",
    "*/opencode/tmp",
    "./stop-at",
    "./reached",
  ];
  const without = left.map((path) => `--exclude=${path}`);
  tar("-I", "gzip -9n", "-cf", archiveOf(recording), ...plain, ...without, "-C", root, ".");
}

/** What a recording holds beside its places, such as what `show` printed then. */
export function factsFileOf(recording: string): string {
  return join(ARCHIVES, `${recording}.json`);
}

function archiveOf(recording: string): string {
  return join(ARCHIVES, `${recording}.tar.gz`);
}

function environmentOf(home: string) {
  return {
    HOME: home,
    TROUPE_HOME: join(home, ".troupe"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_RUNTIME_DIR: join(home, "run"),
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

/** A lock that ends with its process, however that ends. */
function lock(file: string): () => void {
  for (;;) {
    const handle = openSync(file, "a", 0o600);
    const { ino } = fstatSync(handle);
    const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
    // Before the lock is taken: closing any handle of a file gives up its locks.
    closeSync(handle);
    database.exec("BEGIN EXCLUSIVE");
    // Its last holder may have removed the file meanwhile.
    if (statSync(file, { throwIfNoEntry: false })?.ino === ino)
      return () => {
        rmSync(file, { force: true });
        database.close();
      };
    database.close();
  }
}

function tar(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("tar", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`tar ${args.join(" ")}: ${stderr}`);
}
