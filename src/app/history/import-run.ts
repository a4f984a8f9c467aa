import type { JournalEvent } from "../../contracts/events/event.ts";
import { exportDamaged, exportTooLarge } from "../../journal/errors.ts";
import type {
  ExportHeader,
  ExportText,
  ExportTrailer,
} from "../../journal/export/export-format.ts";
import { ExportReader } from "../../journal/export/export-reader.ts";
import type { ExportSink } from "../../journal/export/export-sink.ts";
import { type ExportBytes, unzipExport } from "../../journal/export/unzip-export.ts";
import { fileUnreadable } from "../../workflows/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { makeRunsDirectory } from "../machine/place/believed-places.ts";
import { openFile } from "../machine/place/read-text-file.ts";
import {
  ArrivingRun,
  type ImportedRun,
  type UnderstoodRun,
} from "../workflow/shapes/arriving-run.ts";

/** What an import came to. */
export interface ImportReceipt extends ImportedRun {
  /** The runs below it, which came with it. */
  readonly below: readonly ImportedRun[];
}

/** Most bytes of an export, once it is not compressed any more. */
const MAX_EXPORT_BYTES = 1024 ** 3;

/**
 * Makes a run of this project out of an export, and those below it: the same ids, the same events. They appear when
 * all of the export was checked; otherwise nothing is left behind. Raises FILE_EXPORT_* errors, STORE_RUN_EXISTS,
 * RUN_DIRECTORY_UNWRITABLE and STORE_* errors.
 */
export async function importRun(
  machine: Machine,
  { name, bytes }: ExportBytes,
  maxBytes: number = MAX_EXPORT_BYTES,
): Promise<ImportReceipt> {
  const arrival = new Arrival(machine, name);
  try {
    const reader = new ExportReader(name, arrival);
    let totalBytes = 0;
    await unzipExport({ name, bytes }, (chunk) => {
      totalBytes += chunk.length;
      if (totalBytes > maxBytes)
        throw exportTooLarge({ file: name, what: "the run in it", limitBytes: maxBytes });
      reader.push(chunk);
    });
    reader.end();
    return await arrival.publish();
  } finally {
    arrival.discard();
  }
}

/** As importRun, from a file. Also raises FILE_NOT_FOUND, FILE_UNREADABLE. */
export async function importRunFile(machine: Machine, path: string): Promise<ImportReceipt> {
  const handle = await openFile(path);
  try {
    const info = await handle.stat();
    if (info.isDirectory()) throw fileUnreadable({ file: path, reason: "it is a directory" });
    if (!info.isFile()) throw fileUnreadable({ file: path, reason: "it is not a regular file" });
    return await importRun(machine, {
      name: path,
      bytes: handle.createReadStream({ autoClose: false }),
    });
  } finally {
    await handle.close();
  }
}

/** Takes in the runs of an export: one, and those below it. */
class Arrival implements ExportSink {
  readonly #machine: Machine;
  readonly #name: string;
  readonly #runs: ArrivingRun[] = [];

  constructor(machine: Machine, name: string) {
    this.#machine = machine;
    this.#name = name;
  }

  begin(header: ExportHeader): void {
    if (this.#runs.length === 0) makeRunsDirectory(this.#machine.project);
    this.#runs.push(new ArrivingRun(this.#machine, this.#name, header));
  }

  text(text: ExportText): void {
    this.#runs.at(-1)?.text(text);
  }

  event(event: JournalEvent): void {
    this.#runs.at(-1)?.event(event);
  }

  end(trailer: ExportTrailer): void {
    const run = this.#runs.at(-1);
    run?.end(trailer);
    const isFirst = this.#runs.length === 1;
    if (run === undefined || isFirst || this.#runs.some(({ id }) => id === run.parent)) return;
    const problem = `${run.id} is no part of the run that it stands with`;
    throw exportDamaged({ file: this.#name, problem });
  }

  /** The run at the top gets its name last: once it is here, all of them are. */
  async publish(): Promise<ImportReceipt> {
    const understood: UnderstoodRun[] = [];
    for (const run of this.#runs) understood.push(await run.understand());
    const published: ImportedRun[] = [];
    try {
      for (const run of understood.toReversed()) published.unshift(run.publish());
    } catch (error) {
      for (const { run } of published) this.#machine.store.remove(run);
      throw error;
    }
    const [own, ...below] = published;
    if (own === undefined) throw exportDamaged({ file: this.#name, problem: "it holds no run" });
    return { ...own, below };
  }

  /** Removes what is not published. */
  discard(): void {
    for (const run of this.#runs) run.discard();
  }
}
