import { renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { TroupeError } from "../../foundation/errors.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import type { Salvage } from "../../journal/export/export-format.ts";
import { exportLines } from "../../journal/export/export-lines.ts";
import { type JournalRows, openJournalRows } from "../../journal/export/journal-rows.ts";
import type { Machine } from "../machine/machine.ts";
import { fileUnwritable } from "../machine/place/errors.ts";
import { VERSION } from "../machine/place/version.ts";
import { assertPlace } from "../machine/place/write-text-file.ts";
import { runsBelow } from "../runs/families/run-families.ts";
import { nothingToSalvage } from "./errors.ts";

/** One run in an export. */
export interface ExportedRun {
  readonly run: string;
  readonly events: number;
  /** What is missing, of a damaged run. */
  readonly salvage: Salvage | undefined;
}

/** What an export holds. */
export interface ExportReceipt extends ExportedRun {
  /** The runs below it, which are in the export too. */
  readonly below: readonly ExportedRun[];
  /** Whether a process carries the run out: the copy ends where the run was. */
  readonly isLive: boolean;
}

/**
 * Writes a run and all runs below it to a file that only its owner can read, compressed if its name ends in `.gz`. The file appears
 * when it is complete. Raises what exportRunTo raises and FILE_UNWRITABLE.
 */
export async function exportRunToFile(
  machine: Machine,
  run: string,
  { path, isSalvage }: { readonly path: string; readonly isSalvage: boolean },
): Promise<ExportReceipt> {
  assertPlace(path);
  const source = openSource(machine, run, isSalvage);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    const output = file.createWriteStream({ flush: true });
    const lines = Readable.from(source.lines());
    if (path.endsWith(".gz")) await pipeline(lines, createGzip(), output);
    else await pipeline(lines, output);
    renameSync(temporary, path);
    return source.receipt();
  } catch (error) {
    rmSync(temporary, { force: true });
    if (error instanceof TroupeError || !(error instanceof Error)) throw error;
    throw fileUnwritable({ path, problem: error.message }, { cause: error });
  } finally {
    source.close();
  }
}

/**
 * Hands out the lines of an export of a run and all runs below it. With `isSalvage` a damaged run is not refused: what
 * is intact of it is written, and the receipt says what is missing. Raises RUN_NOT_FOUND, RUN_NOTHING_TO_SALVAGE, STORE_* errors.
 */
export function exportRunTo(
  write: (line: string) => void,
  machine: Machine,
  { run, isSalvage }: { readonly run: string; readonly isSalvage: boolean },
): ExportReceipt {
  const source = openSource(machine, run, isSalvage);
  try {
    for (const line of source.lines()) write(line);
    return source.receipt();
  } finally {
    source.close();
  }
}

interface ExportSource {
  lines(): Iterable<string>;
  /** Once all lines were taken. */
  receipt(): ExportReceipt;
  close(): void;
}

/** A run whose rows are at hand. */
interface OpenedRun {
  readonly run: string;
  readonly rows: JournalRows;
}

function openSource(machine: Machine, run: string, isSalvage: boolean): ExportSource {
  const isLive = isSalvage ? false : isCarriedOut(machine, run);
  const opened: OpenedRun[] = [];
  const close = () => {
    for (const { rows } of opened) rows.close();
  };
  try {
    opened.push({ run, rows: openRows(machine, run, isSalvage) });
    for (const each of runsBelow(machine.store, run)) {
      const rows = openRowsBelow(machine, each, isSalvage);
      if (rows !== undefined) opened.push({ run: each, rows });
    }
  } catch (error) {
    close();
    throw error;
  }
  const exported: ExportedRun[] = [];
  const ids = opened.slice(1).map(({ run: id }) => id);
  const origin = { troupe: VERSION, exportedAt: toIsoTime(machine.clock.now()) };
  return {
    *lines() {
      for (const { run: id, rows } of opened) {
        const below = id === run && ids.length > 0 ? { below: ids } : {};
        const { events } = yield* exportLines(rows, { run: id, ...origin, ...below });
        exported.push({ run: id, events, salvage: rows.salvage });
      }
    },
    receipt: () => {
      const [own = { run, events: 0, salvage: undefined }, ...below] = exported;
      return { ...own, below, isLive };
    },
    close,
  };
}

/** Opening a run in its store also holds it against its seal. */
function openRows(machine: Machine, run: string, isSalvage: boolean): JournalRows {
  if (!isSalvage) machine.store.open(run, "read").close();
  const rows = openJournalRows(machine.project.runsDirectory, run, isSalvage);
  if (!isSalvage || !isEmpty(rows.events())) return rows;
  rows.close();
  throw nothingToSalvage({ run, problem: rows.salvage?.problem ?? "it holds no event" });
}

/** Undefined for a run of which nothing is left: what there is of the others is worth having. */
function openRowsBelow(machine: Machine, run: string, isSalvage: boolean): JournalRows | undefined {
  try {
    return openRows(machine, run, isSalvage);
  } catch (error) {
    if (error instanceof TroupeError && error.code === nothingToSalvage.code) return undefined;
    throw error;
  }
}

/** Whether a living process owns the run. */
function isCarriedOut({ store, isGone }: Machine, run: string): boolean {
  const journal = store.open(run, "read");
  try {
    const holder = journal.leaseHolder();
    return holder !== undefined && !isGone(holder);
  } finally {
    journal.close();
  }
}

function isEmpty(items: Iterable<unknown>): boolean {
  for (const _item of items) return false;
  return true;
}
