import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { foldAll } from "../../fold/fold.ts";
import { toHead } from "../../fold/head.ts";
import type { Machine } from "../machine/machine.ts";
import { ownJournal } from "../machine/own-journal.ts";

/** What a run that nobody has carried out yet begins with. */
export interface WrittenRun {
  readonly events: readonly JournalEvent[];
  readonly texts: { readonly [hash: string]: string };
  /** Steps that its definition has. */
  readonly stepTotal: number;
}

/**
 * Makes a run out of events, in one transaction: a crash leaves all of it, or a run that never began. Raises STORE_*
 * errors.
 */
export async function writeRun(machine: Machine, run: string, written: WrittenRun): Promise<void> {
  const journal = machine.store.create(run);
  try {
    await appendToRun(machine, journal, written);
    journal.close();
  } catch (error) {
    journal.close();
    machine.store.remove(run);
    throw error;
  }
}

/** Appends to a run that this process owns for as long as that takes. Raises ENGINE_RUN_OWNED, STORE_* errors. */
export async function appendToRun(
  machine: Machine,
  journal: Journal,
  { events, texts, stepTotal }: WrittenRun,
): Promise<void> {
  const ownership = await ownJournal(machine, journal);
  try {
    const state = foldAll(journal.run, [...journal.read(), ...events]);
    const head = toHead(state, stepTotal);
    await journal.append({ epoch: ownership.epoch, events, head, blobs: texts });
    journal.seal();
  } finally {
    ownership.release();
  }
}
