import { existsSync, lstatSync, readdirSync, rmSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isListening } from "../../../control/probe.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { IMPORT_PREFIX } from "../../../journal/export/run-import.ts";
import { readSignature, runFiles } from "../../../journal/run-files.ts";
import type { Machine } from "../../machine/machine.ts";
import { runtimeDirectory } from "../../machine/place/project.ts";
import { sizeOf } from "./size-of.ts";

/** Something that a process of Troupe would have removed had it not been ended before. */
export interface LeftoverFile {
  readonly kind: "removal" | "import" | "empty-run" | "socket" | "task-file";
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
}

// What is being made at this moment looks like what was left behind; it is made within seconds.
const YOUNG_MS = 60 * 60 * 1000;
const YOUNG_SOCKET_MS = 60 * 1000;

const SOCKET = /^(?:[cr]-(?:[0-9a-f]{8}|[0-9a-f]{16})|[nx]-[0-9a-f]{12})(?:\.sock)?$/;
const TASK_FILE = /^troupe-task-(\d+)-[A-Za-z0-9]{6}$/;

/** Looks for what dead processes left in the project, among this user's sockets and temporary files. */
export async function findLeftoverFiles(machine: Machine): Promise<readonly LeftoverFile[]> {
  const found = [
    ...leftoverRuns(machine),
    ...leftoverTaskFiles(machine),
    ...(await staleSockets(machine)),
  ];
  return found.map((leftover) => ({ ...leftover, sizeBytes: sizeOf(leftover.path) }));
}

/** Removes one; a link is removed itself, not what it leads to. */
export function removeLeftoverFile({ path }: LeftoverFile): void {
  rmSync(path, { recursive: true, force: true });
}

type Found = Omit<LeftoverFile, "sizeBytes">;

function leftoverRuns(machine: Machine): readonly Found[] {
  const { project, store, clock } = machine;
  const { runsDirectory } = project;
  const known = new Set(store.list());
  const isOld = ({ mtimeMs }: Stats) => clock.now() - mtimeMs > YOUNG_MS;
  return entriesOf(runsDirectory).flatMap(({ name, path, stat }): Found[] => {
    if (!stat.isDirectory()) return [];
    if (known.has(name)) return isNeverBegun(machine, name) ? [{ kind: "empty-run", path }] : [];
    if (name.startsWith(".removed-")) return [{ kind: "removal", path }];
    if (name.startsWith(IMPORT_PREFIX))
      return isOwnerGone(/-(\d+)-[0-9a-f]+$/.exec(name)?.[1]) ? [{ kind: "import", path }] : [];
    const isUnborn = runFiles(runsDirectory, name) !== undefined && holdsNothing(path);
    return isUnborn && isOld(stat) ? [{ kind: "empty-run", path }] : [];
  });
}

const BEFORE_FIRST_EVENT: ReadonlySet<string> = new Set(
  ["", "-journal", "-wal", "-shm"].map((suffix) => `journal.db${suffix}`),
);

/** Whether a directory has nothing in it but what a run has before its first event. */
function holdsNothing(path: string): boolean {
  return namesOf(path).every((name) => BEFORE_FIRST_EVENT.has(name));
}

/** Whether the process of a run ended after it had made the journal and before it wrote any event. */
function isNeverBegun(machine: Machine, run: string): boolean {
  const { runsDirectory } = machine.project;
  // Only a run that has begun has a seal, so that hardly a journal is opened in vain.
  if (existsSync(join(runsDirectory, run, "journal.seal"))) return false;
  const changedAtMs = readSignature(runsDirectory, run)?.changedAtMs ?? Infinity;
  if (machine.clock.now() - changedAtMs < YOUNG_MS) return false;
  try {
    return isEmptyAndUnowned(machine, run);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    // What cannot be read may hold anything.
    return false;
  }
}

function isEmptyAndUnowned({ store, isGone }: Machine, run: string): boolean {
  const journal = store.open(run, "read");
  try {
    const holder = journal.leaseHolder();
    return journal.lastSeq() === 0 && (holder === undefined || isGone(holder));
  } finally {
    journal.close();
  }
}

function leftoverTaskFiles({ env }: Machine): readonly Found[] {
  return entriesOf(env["TMPDIR"] || tmpdir()).flatMap(({ name, path, stat }): Found[] => {
    const [, pid] = TASK_FILE.exec(name) ?? [];
    const isLeft = pid !== undefined && stat.isDirectory() && isOwnerGone(pid);
    return isLeft && isOurs(stat) ? [{ kind: "task-file", path }] : [];
  });
}

async function staleSockets({ env, clock }: Machine): Promise<readonly Found[]> {
  const stale: Found[] = [];
  for (const { name, path, stat } of entriesOf(runtimeDirectory(env))) {
    const isCandidate = SOCKET.test(name) && stat.isSocket() && isOurs(stat);
    if (!isCandidate || clock.now() - stat.mtimeMs < YOUNG_SOCKET_MS) continue;
    if (await isListening(path, clock)) continue;
    // Somebody may have begun to listen under this name while it was asked.
    const isSame = lstatSync(path, { throwIfNoEntry: false })?.ino === stat.ino;
    if (isSame) stale.push({ kind: "socket", path });
  }
  return stale;
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly stat: Stats;
}

function entriesOf(directory: string): readonly Entry[] {
  return namesOf(directory).flatMap((name) => {
    const path = join(directory, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ name, path, stat }];
  });
}

function namesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // A directory that is not there, or not ours to read, holds nothing of ours.
    return [];
  }
}

function isOurs({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** Whether no process has the pid; one that another process has got meanwhile keeps its files, which is safe. */
function isOwnerGone(pid: string | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
