import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Json } from "../../foundation/json.ts";
import { systemErrorCode } from "../../host/system/system-error.ts";
import { storeRunExists, storeUnwritable } from "../errors.ts";
import type { ChainEnd, EventLog } from "../event-log.ts";
import { LeaseTable } from "../lease-table.ts";
import { openEventLog } from "../open-event-log.ts";
import {
  DIRECTORY_MODE,
  filesUnder,
  isThere,
  makePrivateFile,
  type RunFiles,
  runFiles,
  syncDirectory,
} from "../run-files.ts";
import { createSchema } from "../schema.ts";
import { writeSeal } from "../seal.ts";
import { closeOnError, connectForWriting, setDurable } from "../sqlite-connection.ts";
import { asStoreError } from "../sqlite-errors.ts";
import { TextTable } from "../text-table.ts";
import type { ExportText } from "./export-format.ts";

/** What directories of imports that are under way, or were cut off, begin with. */
export const IMPORT_PREFIX = ".import-";

/** How an imported run is finished. */
export interface ImportEnd {
  readonly head: Json;
  /** The highest epoch of an owner so far; the next one is higher. */
  readonly epoch: number;
}

// As many as an owner commits at once: they share rows.
const EVENTS_AT_ONCE = 1000;

/**
 * Makes a run out of the rows of another journal. Everything is written beside the runs and gets its name
 * when it is complete and synced: a crash leaves the whole run or none of it.
 */
export class RunImport {
  readonly #runsDirectory: string;
  readonly #target: RunFiles;
  readonly #files: RunFiles;
  readonly #db: DatabaseSync;
  readonly #texts: TextTable;
  readonly #log: EventLog;
  #end: ChainEnd;
  #events: JournalEvent[] = [];

  /** Raises STORE_RUN_EXISTS and STORE_* errors. The runs' directory must be there. */
  constructor(runsDirectory: string, run: string) {
    const target = runFiles(runsDirectory, run);
    if (target === undefined)
      throw storeUnwritable({ run, place: "nowhere", problem: "this is not an id for a run" });
    this.#runsDirectory = runsDirectory;
    this.#target = target;
    this.#files = temporaryFiles(runsDirectory, target);
    try {
      this.#db = this.#try(() => createDatabase(target, this.#files));
    } catch (error) {
      rmSync(this.#files.directory, { recursive: true, force: true });
      throw error;
    }
    this.#texts = new TextTable(this.#db, this.#files.where);
    this.#log = openEventLog(this.#db, this.#files.where, this.#texts);
    this.#end = this.#log.last();
  }

  addText({ hash, text }: ExportText): void {
    this.#try(() => this.#texts.addBlobs({ [hash]: text }));
  }

  text(hash: string): string | undefined {
    return this.#try(() => this.#texts.blob(hash));
  }

  addEvent(event: JournalEvent): void {
    this.#events.push(event);
    if (this.#events.length === EVENTS_AT_ONCE) this.#insertEvents();
  }

  /** Gives the run its name. Raises STORE_RUN_EXISTS when another one has got it meanwhile. */
  publish({ head, epoch }: ImportEnd): void {
    this.#insertEvents();
    this.#try(() => {
      this.#texts.writeHead(head);
      new LeaseTable(this.#db, this.#files.where).write({ epoch });
      this.#db.exec("COMMIT");
      setDurable(this.#db);
      this.#db.close();
      writeSeal(this.#files, this.#end);
      this.#rename();
      syncDirectory(this.#runsDirectory);
    });
  }

  /** Removes what was written, unless it has got its name. Idempotent. */
  discard(): void {
    if (this.#db.isOpen) this.#db.close();
    rmSync(this.#files.directory, { recursive: true, force: true });
  }

  #insertEvents(): void {
    const events = this.#events;
    this.#events = [];
    this.#end = this.#try(() => this.#log.insert(events, this.#end));
  }

  #rename(): void {
    try {
      // Replaces an empty directory, which is a run whose creation was cut off, and nothing else.
      renameSync(this.#files.directory, this.#target.directory);
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) throw error;
      throw storeRunExists({ run: this.#target.where.run }, { cause: error });
    }
  }

  #try<Value>(work: () => Value): Value {
    return asStoreError(this.#target.where, "write", work);
  }
}

function temporaryFiles(runsDirectory: string, { where }: RunFiles): RunFiles {
  const name = `${IMPORT_PREFIX}${where.run}-${process.pid}-${randomBytes(4).toString("hex")}`;
  return filesUnder(runsDirectory, name, where.run);
}

function createDatabase(target: RunFiles, files: RunFiles): DatabaseSync {
  const isTaken = isThere(target.journal) || isThere(target.seal);
  if (isTaken) throw storeRunExists({ run: target.where.run });
  mkdirSync(files.directory, { mode: DIRECTORY_MODE });
  chmodSync(files.directory, DIRECTORY_MODE);
  makePrivateFile(files.journal);
  const db = connectForWriting(files);
  return closeOnError(db, () => {
    // Until it has its name nobody misses it: what is written meanwhile need not survive a crash.
    db.exec("PRAGMA journal_mode = OFF");
    createSchema(db);
    db.exec("BEGIN IMMEDIATE");
    return db;
  });
}
