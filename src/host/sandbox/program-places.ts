import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import { systemClock } from "../../foundation/clock.ts";

/** What a process may have open at once, as far as programs are concerned. */
export interface DescriptorBounds {
  /** Most descriptors of this process. */
  readonly limit: number;
  /** Programs that they are enough for. */
  readonly programs: number;
}

/** Places for programs: as many as this process has descriptors for. */
export interface ProgramPlaces {
  /**
   * Takes a place, waiting for one if need be; resolves with what gives it back. `onWait` is told at once when there is
   * none. Rejects with the signal's reason when it aborts first.
   */
  take(signal: AbortSignal, onWait: (bounds: DescriptorBounds) => void): Promise<() => void>;
}

// Three pipes, a log, and what looking at its processes takes for a moment.
const DESCRIPTORS_PER_PROGRAM = 6;
// For the journal, its sockets, the file system and git.
const KEPT_FREE = 12;
// Programs that stay, as sessions do, may hold all places: then going over is better than standing still.
const PATIENCE_MS = 30_000;

/** Places within bounds; those that are none are waited for, but not for ever. */
export function createProgramPlaces(
  bounds: () => DescriptorBounds,
  patienceMs = PATIENCE_MS,
): ProgramPlaces {
  let known: DescriptorBounds | undefined;
  let taken = 0;
  const queue = new Set<() => void>();
  const release = () => {
    const [next] = queue;
    taken -= 1;
    next?.();
  };
  const giveBack = () => {
    let isHeld = true;
    return () => {
      if (isHeld) release();
      isHeld = false;
    };
  };
  return {
    take: (signal, onWait) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        known ??= bounds();
        const grant = () => {
          queue.delete(grant);
          patience?.cancel();
          signal.removeEventListener("abort", abort);
          taken += 1;
          resolve(giveBack());
        };
        const abort = () => {
          queue.delete(grant);
          patience?.cancel();
          reject(signal.reason);
        };
        if (taken < known.programs) {
          taken += 1;
          return resolve(giveBack());
        }
        onWait(known);
        queue.add(grant);
        const patience = systemClock.startTimer(patienceMs, grant);
        signal.addEventListener("abort", abort, { once: true });
      }),
  };
}

/** Those of this process. */
export const programPlaces: ProgramPlaces = createProgramPlaces(readBounds);

/** Where the system does not tell, nothing is bounded. */
function readBounds(): DescriptorBounds {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
    const open = readdirSync("/proc/self/fd").length;
    const free = limit - open - KEPT_FREE;
    return { limit, programs: Math.max(1, Math.floor(free / DESCRIPTORS_PER_PROGRAM)) };
  } catch {
    return { limit: Infinity, programs: Infinity };
  }
}

/**
 * Opens as many descriptors as a program is about to need, and closes them. Node loses those that it had opened already
 * when it runs out of them in the middle of a start. Raises what the system says.
 */
export function tryDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
