import { type Garbage, garbageBytes } from "../../app/setup/garbage/collect-garbage.ts";
import { count } from "../../foundation/count.ts";
import { alignColumns } from "../terminal/table.ts";

/** What is garbage, for people: one line each. */
export function garbageLines({ runs, leftovers }: Garbage): readonly string[] {
  return alignColumns([
    ...runs.map(({ run, workflow, state, endedAt, sizeBytes }) => [
      run,
      workflow ?? "",
      state,
      endedAt?.slice(0, "2026-01-01".length) ?? "",
      formatBytes(sizeBytes),
    ]),
    ...leftovers.map(({ kind, path, sizeBytes }) => [
      LEFTOVERS[kind],
      path,
      "",
      "",
      formatBytes(sizeBytes),
    ]),
  ]);
}

/** The same in few words: `3 runs and 1 leftover, 2.1 MB`. */
export function whatIsGarbage(garbage: Garbage): string {
  const { runs, leftovers } = garbage;
  const parts = [count(runs.length, "run"), count(leftovers.length, "leftover")];
  const named = parts.filter((part) => !part.startsWith("0 ")).join(" and ");
  return `${named === "" ? "nothing" : named}, ${formatBytes(garbageBytes(garbage))}`;
}

/** What `gc --json` prints. */
export function toGarbageDocument(garbage: Garbage, isRemoved: boolean): object {
  const { runs, leftovers } = garbage;
  return {
    v: 1,
    removed: isRemoved,
    runs: runs.map(({ run: id, ...rest }) => ({ id, ...rest })),
    leftovers,
    sizeBytes: garbageBytes(garbage),
  };
}

const LEFTOVERS = {
  removal: "half removed",
  import: "half imported",
  "empty-run": "never begun",
  socket: "stale socket",
  "task-file": "task file",
} as const;

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

function formatBytes(sizeBytes: number): string {
  let [value, unit] = [sizeBytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}
