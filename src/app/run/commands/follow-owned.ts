import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { Timer } from "../../../foundation/clock.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { followEvents } from "../../runs/run-events.ts";
import { readListing } from "../../runs/run-heads.ts";

/** Why a run is followed no longer. `let-go`: its owner suspended it; `orphaned`: its owner is gone without a word. */
export type FollowEnd = "over" | "let-go" | "orphaned" | "stopped";

/** How a run is followed that another process carries out. */
export interface FollowOwnedOptions {
  readonly afterSeq: number;
  readonly signal: AbortSignal;
  /** Sees every event in order; whether to go on after it, else the following ends as `stopped`. */
  readonly onEvent: (event: JournalEvent) => boolean;
}

// A run may be without an owner for a moment, while one takes it over from another.
const OWNER_CHECK_MS = 2000;
const MISSES_THAT_COUNT = 2;

/** Follows a run as long as a process carries it out and the signal does not abort. Raises STORE_* errors. */
export async function followOwned(
  machine: Machine,
  run: string,
  { afterSeq, signal, onEvent }: FollowOwnedOptions,
): Promise<FollowEnd> {
  const orphaned = new AbortController();
  const watch = watchOwner(machine, run, () => orphaned.abort());
  const position = { afterSeq, signal: AbortSignal.any([signal, orphaned.signal]) };
  try {
    for await (const event of followEvents(machine, run, position)) {
      if (!onEvent(event)) return "stopped";
      if (event.type === "run-ended") return "over";
      if (event.type === "run-suspended") return "let-go";
    }
    return signal.aborted ? "stopped" : "orphaned";
  } finally {
    watch.cancel();
  }
}

function watchOwner(machine: Machine, run: string, onGone: () => void): Timer {
  const { clock } = machine;
  let misses = 0;
  const wait = (): Timer =>
    clock.startTimer(OWNER_CHECK_MS, () => {
      misses = seemsOwned(machine, run) ? 0 : misses + 1;
      if (misses >= MISSES_THAT_COUNT) onGone();
      else timer = wait();
    });
  let timer = wait();
  return { cancel: () => timer.cancel() };
}

function seemsOwned(machine: Machine, run: string): boolean {
  try {
    return isOwned(machine, run);
  } catch (error) {
    // Whoever reads the events meets it as well, and says so.
    if (error instanceof TroupeError) return true;
    throw error;
  }
}

function isOwned(machine: Machine, run: string): boolean {
  return readListing(machine.store, run, machine.isGone)?.owner !== undefined;
}
