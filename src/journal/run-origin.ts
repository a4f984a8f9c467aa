import { lstatSync, type Stats } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { RunFiles } from "./run-files.ts";
import { addOrigin, hasOrigin } from "./schema.ts";

// SEC-2: a run holds commands, so that whoever brings a journal into a project could have them executed.
// O1: the seal covers the run's id and the row of its first event, which names by hash all that the run would carry out.
// O2: it is written in the transaction of the first event: no crash leaves a begun run without it.
// O3: it is believed only if nobody but this user can have written the files.

/** Seals the runs of this user, and knows her seals again. */
export interface RunOrigins {
  /**
   * The seal of a run whose first row has this hash; undefined where no key can be kept: nobody knows such a run
   * again. Raises RUN_KEY_UNUSABLE for a key that cannot be believed.
   */
  sign(run: string, firstHash: string): string | undefined;
  isSigned(run: string, firstHash: string, seal: string): boolean;
}

const NO_SEAL =
  "it carries no seal of yours (it was copied, cloned, or made before there were seals)";

const OTHER_SEAL = "its seal is not of your key, or is damaged";

/** Where a seal lies, and the hash of the row that it covers; undefined before the first event. */
export interface OriginPlace {
  readonly db: DatabaseSync;
  readonly firstHash: string | undefined;
}

/** Seals a run that has its first event. In a transaction of the caller. */
export function writeOrigin(
  { db, firstHash }: OriginPlace,
  run: string,
  origins: RunOrigins,
): void {
  const seal = firstHash === undefined ? undefined : origins.sign(run, firstHash);
  if (seal === undefined) return;
  addOrigin(db);
  db.prepare("INSERT OR REPLACE INTO origin VALUES (1, ?)").run(seal);
}

/** Why a run is not this user's; undefined if it is, or has not begun. */
export function foreignReason(
  { db, firstHash }: OriginPlace,
  files: RunFiles,
  origins: RunOrigins,
): string | undefined {
  const problem = distrustFiles(files);
  if (problem !== undefined) return problem;
  if (firstHash === undefined) return undefined;
  const seal = readSealOfOrigin(db);
  if (seal === undefined) return NO_SEAL;
  const { run } = files.where;
  return origins.isSigned(run, firstHash, seal) ? undefined : OTHER_SEAL;
}

function readSealOfOrigin(db: DatabaseSync): string | undefined {
  if (!hasOrigin(db)) return undefined;
  const { seal } = db.prepare("SELECT seal FROM origin WHERE id = 1").get() ?? {};
  return typeof seal === "string" ? seal : undefined;
}

function distrustFiles({ directory, journal, seal }: RunFiles): string | undefined {
  const info = lstatSync(directory, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory()) return "its directory is a link";
  return (
    distrust(info, "its directory") ??
    distrustFile(journal, "its journal") ??
    distrustFile(seal, "its journal.seal")
  );
}

function distrustFile(path: string, what: string): string | undefined {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return undefined;
  return info.isFile() ? distrust(info, what) : `${what} is no plain file`;
}

function distrust({ uid, mode }: Stats, what: string): string | undefined {
  if (uid !== process.getuid?.()) return `${what} belongs to another user`;
  return (mode & 0o077) === 0 ? undefined : `${what} is open to other users`;
}
