import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makeDirectory } from "../foundation/make-directory.ts";
import { openSqlite } from "../foundation/sqlite.ts";
import type { OwnerBeats } from "./owner-beats.ts";
import { onDisk } from "./system/disk-error.ts";
import type { ProcessTable } from "./system/process-entry.ts";
import { describeElsewhere, type ProcessIdentity } from "./system/process-identity.ts";

/** What is claimed, by whom. */
export interface ClaimRequest {
  /** The shared file of this user; its directory is made if need be. */
  readonly path: string;
  /** What only one may have at a time. */
  readonly name: string;
  /** Who wants it, unique among all who ever do. */
  readonly holder: string;
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  /** Signs of life of owners on other hosts and in other containers. */
  readonly beats: OwnerBeats;
}

/** How a claim ended. What a process that is gone had claimed is free. */
export type Claim =
  | { readonly status: "taken"; release(): void }
  | {
      readonly status: "held";
      readonly holder: string;
      readonly pid: number;
      /** Where that process is, if its pid means nothing here. Its claim is free once it stays silent for a TTL. */
      readonly where: string | undefined;
    };

type HeldClaim = Omit<Extract<Claim, { status: "held" }>, "status">;

/** Claims a name among all processes of this user that share the file; its holder may take it again. */
export function takeClaim(request: ClaimRequest): Claim {
  return onDisk(request.path, () => takeFrom(request));
}

function takeFrom(request: ClaimRequest): Claim {
  const database = openDatabase(request.path);
  try {
    const other = tryTake(database, request);
    if (other !== undefined) return { status: "held", ...other };
  } finally {
    database.close();
  }
  const stop = request.beats.keep(dirname(request.path), request.identity);
  return {
    status: "taken",
    release: () => {
      stop();
      onDisk(request.path, () => release(request));
    },
  };
}

function openDatabase(path: string): DatabaseSync {
  makeDirectory(dirname(path), 0o700);
  const database = openSqlite(path, { timeout: 2000 });
  // Who holds what is known again after a power loss: nobody. So nothing here needs to be synced.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  database.exec(
    "CREATE TABLE IF NOT EXISTS claims (name TEXT PRIMARY KEY, holder TEXT NOT NULL, pid INTEGER NOT NULL, startedAt TEXT NOT NULL, bootId TEXT NOT NULL)",
  );
  return database;
}

function tryTake(
  database: DatabaseSync,
  { path, name, holder, identity, table, beats }: ClaimRequest,
): HeldClaim | undefined {
  database.exec("BEGIN IMMEDIATE");
  try {
    const row = database.prepare("SELECT * FROM claims WHERE name = ?").get(name) ?? {};
    const { holder: other, pid, startedAt, bootId } = row;
    const isKnown =
      typeof other === "string" &&
      typeof pid === "number" &&
      typeof startedAt === "string" &&
      typeof bootId === "string";
    const directory = dirname(path);
    const isHeld =
      isKnown &&
      other !== holder &&
      beats.isHeld(directory, { owner: { pid, startedAt, bootId }, table });
    if (!isHeld)
      database
        .prepare("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)")
        .run(name, holder, identity.pid, identity.startedAt, identity.bootId);
    database.exec("COMMIT");
    if (!isHeld) return undefined;
    const owner = beats.identify(directory, { pid, startedAt, bootId });
    return { holder: other, pid, where: describeElsewhere(table, owner) };
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function release({ path, name, holder }: ClaimRequest): void {
  const database = openDatabase(path);
  try {
    database.prepare("DELETE FROM claims WHERE name = ? AND holder = ?").run(name, holder);
  } finally {
    database.close();
  }
}
