import { renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { TroupeError } from "../foundation/errors.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import type { Salvage } from "../journal/export/export-format.ts";
import { exportLines } from "../journal/export/export-lines.ts";
import { openJournalRows } from "../journal/export/journal-rows.ts";
import { fileUnwritable, nothingToSalvage } from "./errors.ts";
import type { Machine } from "./machine.ts";
import { VERSION } from "./version.ts";
import { assertPlace } from "./write-text-file.ts";

/** What an export holds. */
export interface ExportReceipt {
  readonly run: string;
  readonly events: number;
  /** What is missing, of a damaged run. */
  readonly salvage: Salvage | undefined;
  /** Whether a process carries the run out: the copy ends where the run was. */
  readonly isLive: boolean;
}

/**
 * Writes a run to a file that only its owner can read, compressed if its name ends in `.gz`. The file appears
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
 * Hands out the lines of a run's export. With `isSalvage` a damaged run is not refused: what is intact of it
 * is written, and the receipt says what is missing. Raises RUN_NOT_FOUND, RUN_NOTHING_TO_SALVAGE, STORE_* errors.
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

function openSource(machine: Machine, run: string, isSalvage: boolean): ExportSource {
  const isLive = isSalvage ? false : isCarriedOut(machine, run);
  const rows = openJournalRows(machine.project.runsDirectory, run, isSalvage);
  const { salvage } = rows;
  if (isSalvage && isEmpty(rows.events())) {
    rows.close();
    throw nothingToSalvage({ run, problem: salvage?.problem ?? "it holds no event" });
  }
  let events = 0;
  const origin = { run, troupe: VERSION, exportedAt: toIsoTime(machine.clock.now()) };
  return {
    *lines() {
      events = (yield* exportLines(rows, origin)).events;
    },
    receipt: () => ({ run, events, salvage, isLive }),
    close: () => rows.close(),
  };
}

/** Whether a living process owns the run. Opening it in its store also holds it against its seal. */
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
