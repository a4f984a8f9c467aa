import { existsSync, mkdirSync } from "node:fs";
import type { JournalEvent } from "../contracts/event.ts";
import { fold } from "../fold/fold.ts";
import { toHead } from "../fold/head.ts";
import { emptyRunState, type RunState } from "../fold/run-state.ts";
import { isOver } from "../fold/waiting.ts";
import { exportDamaged, exportTooLarge } from "../journal/errors.ts";
import type { ExportHeader, ExportText, Salvage } from "../journal/export/export-format.ts";
import { ExportReader, type ExportSink } from "../journal/export/export-reader.ts";
import { RunImport } from "../journal/export/run-import.ts";
import { type ExportBytes, unzipExport } from "../journal/export/unzip-export.ts";
import type { EventRow } from "../journal/hash-chain.ts";
import { fileUnreadable } from "../workflows/errors.ts";
import { projectUnwritable } from "./errors.ts";
import type { Machine } from "./machine.ts";
import { openFile } from "./read-text-file.ts";
import { readRecipe } from "./run-recipe.ts";
import { shapeOf } from "./shapes/registry.ts";

/** What an import came to. */
export interface ImportReceipt {
  readonly run: string;
  readonly events: number;
  /** What was missing when the run was exported. */
  readonly salvage: Salvage | undefined;
  /** Where the agents of the run start; it may be of another machine. */
  readonly cwd: string;
  readonly isCwdHere: boolean;
  /** Whether `resume` has something to go on with. */
  readonly isResumable: boolean;
}

/** Most bytes of an export, once it is not compressed any more. */
const MAX_EXPORT_BYTES = 1024 ** 3;

/**
 * Makes a run of this project out of an export: the same id, the same events. It appears when all of the
 * export was checked; otherwise nothing is left behind. Raises FILE_EXPORT_* errors, STORE_RUN_EXISTS,
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
    const { trailer } = reader.end();
    return arrival.publish(trailer.seal);
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

/** Takes in the rows of an export, and understands them before they become a run. */
class Arrival implements ExportSink {
  readonly #machine: Machine;
  readonly #name: string;
  #import: RunImport | undefined;
  #header: ExportHeader | undefined;
  #state: RunState = emptyRunState("");

  constructor(machine: Machine, name: string) {
    this.#machine = machine;
    this.#name = name;
  }

  begin(header: ExportHeader): void {
    this.#header = header;
    this.#state = emptyRunState(header.run);
    makeRunsDirectory(this.#machine);
    this.#import = new RunImport(this.#machine.project.runsDirectory, header.run);
  }

  text(text: ExportText): void {
    this.#import?.addText(text);
  }

  event(row: EventRow, event: JournalEvent): void {
    if (event.seq === 1 && event.type !== "run-created")
      throw this.#damaged("its first event is not the creation of a run");
    try {
      fold(this.#state, event);
    } catch (error) {
      throw this.#damaged(`event ${event.seq} makes no sense`, error);
    }
    this.#import?.addEvent(row);
  }

  publish(seal: { readonly seq: number; readonly hash: string }): ImportReceipt {
    const state = this.#state;
    if (this.#import === undefined || this.#header === undefined || state.lastSeq === 0)
      throw this.#damaged("it holds no event");
    const { run, salvage } = this.#header;
    const stepTotal = this.#countSteps(state);
    const epoch = Math.max(this.#header.epoch, state.epoch);
    this.#import.publish({ head: toHead(state, stepTotal ?? 0), epoch, seal });
    const { cwd } = state.run;
    return {
      run,
      events: seal.seq,
      salvage,
      cwd,
      isCwdHere: existsSync(cwd),
      isResumable: !isOver(state) && stepTotal !== undefined,
    };
  }

  /** Removes what is not published. */
  discard(): void {
    this.#import?.discard();
  }

  /** Steps of the run's definition; undefined when a damaged run has lost it. */
  #countSteps({ run }: RunState): number | undefined {
    const text = this.#import?.text(run.definitionHash);
    if (text === undefined) {
      if (this.#header?.salvage !== undefined) return undefined;
      throw this.#damaged("the definition of the run is missing");
    }
    try {
      const { definition } = readRecipe(run.id, text);
      return shapeOf(definition).setup(definition, run).stepTotal;
    } catch (error) {
      throw this.#damaged("the definition of the run cannot be read", error);
    }
  }

  #damaged(problem: string, cause?: unknown): Error {
    return exportDamaged({ file: this.#name, problem }, cause === undefined ? {} : { cause });
  }
}

function makeRunsDirectory({ project }: Machine): void {
  try {
    mkdirSync(project.runsDirectory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw projectUnwritable({ path: project.runsDirectory, problem }, { cause: error });
  }
}
