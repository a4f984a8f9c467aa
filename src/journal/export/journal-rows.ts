import type { DatabaseSync } from "node:sqlite";
import { TroupeError } from "../../foundation/errors.ts";
import { sha256 } from "../../foundation/hash.ts";
import { runNotFound, storeCorrupt } from "../errors.ts";
import { type EventRow, GENESIS_HASH, toEventRow } from "../hash-chain.ts";
import { LeaseTable } from "../lease-table.ts";
import { openEventLog } from "../open-event-log.ts";
import { type RunFiles, runFiles } from "../run-files.ts";
import { readSeal } from "../seal.ts";
import { closeOnError, connect } from "../sqlite-connection.ts";
import { asStoreError, toStoreError } from "../sqlite-errors.ts";
import { namedTexts, TextTable } from "../text-table.ts";
import type { ExportText, Salvage } from "./export-format.ts";

/** The rows of one journal at one moment, whatever its owner adds meanwhile. */
export interface JournalRows {
  /** The highest epoch of an owner so far. */
  readonly epoch: number;
  /** What is missing; undefined for a journal that is whole, and unless that was asked for. */
  readonly salvage: Salvage | undefined;
  texts(): Iterable<ExportText>;
  /** In order, each checked against the one before. */
  events(): Iterable<EventRow>;
  close(): void;
}

/**
 * Opens a journal row by row; whoever wants it held against its seal opens it in its store first. With
 * `isSalvage` reading ends before the first event that cannot be trusted, and texts that cannot are left out,
 * instead of raising STORE_CORRUPT. Raises RUN_NOT_FOUND and STORE_* errors.
 */
export function openJournalRows(
  runsDirectory: string,
  run: string,
  isSalvage: boolean,
): JournalRows {
  const files = runFiles(runsDirectory, run);
  if (files === undefined) throw runNotFound({ run, known: [] });
  return asStoreError(files.where, "read", () => {
    const db = connect(files, "read");
    if (db === undefined) throw runNotFound({ run, known: [] });
    return closeOnError(db, () => {
      // All reads see the same moment.
      db.exec("BEGIN");
      const rows = isSalvage ? intactRows(db, files) : checkedRows(db, files);
      return { ...rows, close: () => db.close() };
    });
  });
}

type Rows = Omit<JournalRows, "close">;

function checkedRows(db: DatabaseSync, files: RunFiles): Rows {
  return {
    epoch: new LeaseTable(db, files.where).state().epoch,
    salvage: undefined,
    texts: () => readTexts(db, files),
    events: () => readEvents(db, files),
  };
}

function intactRows(db: DatabaseSync, files: RunFiles): Rows {
  const problems: string[] = [];
  const tell = (problem: string) => void problems.push(problem);
  const events = () => untilDamage(readEvents(db, files), tell);
  let [intactUpTo, texts] = [0, 0];
  for (const { seq } of events()) intactUpTo = seq;
  const intactTexts = () =>
    untilDamage(
      readTexts(db, files, () => {}),
      tell,
    );
  for (const _text of intactTexts()) texts += 1;
  const seal = unlessDamaged(() => readSeal(files), tell);
  if (seal !== undefined && seal.seq > intactUpTo)
    tell(`its seal says that ${seal.seq} events were written`);
  const epoch = unlessDamaged(() => new LeaseTable(db, files.where).state().epoch, tell) ?? 0;
  const lostTexts = (unlessDamaged(() => countTexts(db, files), tell) ?? texts) - texts;
  const [problem = "texts do not match their hashes"] = problems;
  const isWhole = problems.length === 0 && lostTexts === 0;
  return {
    epoch,
    salvage: isWhole ? undefined : { problem, sealedSeq: seal?.seq ?? null, lostTexts },
    texts: intactTexts,
    events,
  };
}

function* readEvents(db: DatabaseSync, { where }: RunFiles): Generator<EventRow> {
  const log = openEventLog(db, where, new TextTable(db, where));
  let previous = GENESIS_HASH;
  for (const event of log.read(0)) {
    const row = toEventRow(event, previous);
    previous = row.hash;
    yield row;
  }
}

/** Raises STORE_CORRUPT at a text that is not the one of its hash, or hands it to `onDamaged` and goes on. */
function* readTexts(
  db: DatabaseSync,
  files: RunFiles,
  onDamaged?: () => void,
): Generator<ExportText> {
  for (const { hash, body } of readRows(db, files, `SELECT hash, body ${namedTexts(db)}`)) {
    const isIntact = typeof body === "string" && typeof hash === "string" && sha256(body) === hash;
    if (isIntact) yield { hash, text: body };
    else if (onDamaged !== undefined) onDamaged();
    else {
      const problem = `its blob ${String(hash)} does not match its hash`;
      throw storeCorrupt({ ...files.where, problem, firstBadSeq: 1, intactUpTo: 0 });
    }
  }
}

function countTexts(db: DatabaseSync, files: RunFiles): number {
  const [row] = [...readRows(db, files, `SELECT count(*) AS texts ${namedTexts(db)}`)];
  return Number(row?.["texts"]);
}

type Row = { readonly [column: string]: unknown };

function* readRows(db: DatabaseSync, { where }: RunFiles, select: string): Generator<Row> {
  try {
    yield* db.prepare(select).iterate();
  } catch (error) {
    throw toStoreError(error, where, "read");
  }
}

/** What comes before damage; the damage is told. */
function* untilDamage<Item>(
  items: Iterable<Item>,
  tell: (problem: string) => void,
): Generator<Item> {
  try {
    yield* items;
  } catch (error) {
    tellDamage(error, tell);
  }
}

function unlessDamaged<Value>(
  read: () => Value,
  tell: (problem: string) => void,
): Value | undefined {
  try {
    return read();
  } catch (error) {
    tellDamage(error, tell);
    return undefined;
  }
}

function tellDamage(error: unknown, tell: (problem: string) => void): void {
  if (!(error instanceof TroupeError) || error.code !== storeCorrupt.code) throw error;
  tell(error.message);
}
