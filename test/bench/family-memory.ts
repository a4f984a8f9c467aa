import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { withDescendants } from "../../src/host/process-family.ts";
import { createProcessTable } from "../../src/host/process-table.ts";

/** Sees how much memory the processes below this one share out between them. */
export interface MemoryWatch {
  /** The most that they had at one moment, in MB, and the end of the watch. */
  stop(): Promise<number>;
}

const SAMPLE_EVERY_MS = 50;
const KB_PER_MB = 1024;
const PSS = /^Pss:\s+(\d+) kB$/m;

/** Watches all descendants of this process; for Linux, which alone tells the part of each in shared pages. */
export function watchFamilyMemory(): MemoryWatch {
  const ending = new AbortController();
  let peakMb = 0;
  const watch = async () => {
    while (!ending.signal.aborted) {
      peakMb = Math.max(peakMb, await familyMemoryMb());
      await wait(SAMPLE_EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const watched = watch();
  return {
    stop: async () => {
      ending.abort();
      await watched;
      return peakMb;
    },
  };
}

/** Memory of one process in MB, with its part of what it shares; 0 when it is gone. */
export function memoryMbOf(pid: number): number {
  try {
    const [, kilobytes = "0"] = PSS.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return Number(kilobytes) / KB_PER_MB;
  } catch {
    return 0;
  }
}

async function familyMemoryMb(): Promise<number> {
  const listing = await createProcessTable().list();
  const self = listing.entries.filter(({ pid }) => pid === process.pid);
  return withDescendants(listing, self).reduce((sum, { pid }) => sum + memoryMbOf(pid), 0);
}
