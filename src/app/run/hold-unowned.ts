import type { RunSuspended } from "../../contracts/events/run-events.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { fold, foldAll } from "../../fold/fold.ts";
import { toHead } from "../../fold/head.ts";
import { waitingItems } from "../../fold/waiting.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import { toJson } from "../../foundation/json.ts";
import { isSameJson } from "../../foundation/same-json.ts";
import type { Machine } from "../machine/machine.ts";
import { ownJournal } from "../machine/own-journal.ts";
import { readHead } from "../runs/run-heads.ts";

/** Only a person can continue it. */
const EXIT_CODE = 3;

/**
 * Suspends a run that no process owns, with the reason why it was not resumed; a run that is suspended for the same
 * reason stays as it is. Raises RUN_FOREIGN, ENGINE_RUN_OWNED and STORE_* errors.
 */
export async function suspendUnowned(
  machine: Machine,
  run: string,
  error: ErrorReport,
): Promise<void> {
  const { journal, epoch, release } = await holdUnowned(machine, run);
  try {
    const state = foldAll(run, journal.read());
    const { phase } = state;
    // A run that a limit stopped keeps its result, and one that nobody has started begins later.
    if (phase.status === "ended" || phase.status === "created") return;
    const before = phase.status === "suspended" ? phase.error : undefined;
    if (before !== undefined && isSameReport(before, error)) return;
    const suspended: RunSuspended = {
      type: "run-suspended",
      reason: "interrupted",
      waitingFor: waitingItems(state),
      exitCode: EXIT_CODE,
      error,
    };
    const event = { ...suspended, seq: state.lastSeq + 1, at: machine.clock.now() };
    const stepTotal = readHead(machine.store, run)?.steps.total ?? 0;
    fold(state, event);
    await journal.append({ epoch, events: [event], head: toHead(state, stepTotal) });
    journal.seal();
  } finally {
    release();
  }
}

function isSameReport(left: ErrorReport, right: ErrorReport): boolean {
  return isSameJson(toJson(left, "an error"), toJson(right, "an error"));
}

/** A run without an owner, held by this process while a command changes it. */
export interface HeldRun {
  readonly journal: Journal;
  readonly epoch: number;
  /** Releases its lease and closes its journal. */
  release(): void;
}

/** Takes a run that nobody owns. Raises RUN_NOT_FOUND, RUN_FOREIGN, ENGINE_RUN_OWNED. */
export async function holdUnowned(machine: Machine, run: string): Promise<HeldRun> {
  const journal = machine.store.open(run, "write");
  try {
    const ownership = await ownJournal(machine, journal);
    const release = () => {
      ownership.release();
      journal.close();
    };
    return { journal, epoch: ownership.epoch, release };
  } catch (error) {
    journal.close();
    throw error;
  }
}
