import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Renewing the leases of 500 teams takes less than a hundredth.
const BUSY_SHARE = 0.1;
// Less is not worth the moment for which the event loop stands still.
const LEAST_GARBAGE_BYTES = 8 * 1024 * 1024;

let collect: (() => void) | undefined;

/** Collects all garbage of this process, at once: the event loop stands still meanwhile. */
export function collectGarbage(): void {
  collect ??= findCollector();
  collect();
}

/** What is in the memory of V8, with long texts, which it keeps outside of its heap; garbage counts until it is collected. */
export function usedBytes(): number {
  const { used_heap_size: inHeap, external_memory: outside } = getHeapStatistics();
  return inHeap + outside;
}

/** What is asked of the process. */
export interface ProcessMemory {
  /** How much of its time since the last call the event loop had something to do, 0 to 1. */
  readonly busyShare: () => number;
  readonly usedBytes: () => number;
  readonly collect: () => void;
}

/**
 * Gives back what a process that comes to rest has left behind: V8 looks for garbage when memory is asked for, and who
 * only waits asks for none. Looked at every few seconds.
 */
export class RestingMemory {
  readonly #memory: ProcessMemory;
  /** What was in use when garbage was last collected. */
  #inUseBytes = 0;

  constructor(memory: ProcessMemory = thisProcess()) {
    this.#memory = memory;
  }

  look(): void {
    const memory = this.#memory;
    if (memory.busyShare() > BUSY_SHARE) return;
    if (memory.usedBytes() - this.#inUseBytes < LEAST_GARBAGE_BYTES) return;
    memory.collect();
    this.#inUseBytes = memory.usedBytes();
  }
}

function thisProcess(): ProcessMemory {
  let last = performance.eventLoopUtilization();
  return {
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    usedBytes,
    collect: collectGarbage,
  };
}

function findCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  return typeof gc === "function" ? () => void gc() : () => {};
}
