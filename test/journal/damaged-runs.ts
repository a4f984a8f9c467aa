import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { TroupeError } from "../../src/foundation/errors.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { createEarlierStore, type EarlierFormat } from "./earlier-formats.ts";
import { createTemporaryStore } from "./temporary-store.ts";

export const EVENTS = logs(1, 60);
/** How many of the events of `logged` lie in its database; the others lie in its log. */
export const SETTLED_OF_LOGGED = 40;
const HEAD = { state: "running", events: 60 };
export const BLOB = "the definition of a run";
export const FILES = ["journal.db", "journal.db-wal", "journal.seal"] as const;

/** `settled` has all its events in the database, `logged` the later ones in the log, as after a crash. */
export type Original = "settled" | "logged";

export interface Reading {
  readonly events: readonly JournalEvent[];
  /** Code of the error that ended the reading, if one did. */
  readonly code: string | undefined;
  readonly error?: unknown;
}

export interface DamagedRuns {
  readonly store: RunStore;
  path(...names: string[]): string;
  /** The id of a fresh copy of an original, changed by `damage`. */
  damagedRun(original: Original, damage?: (directory: string) => void): string;
  /** Everything a reader can get out of a run; throws what is no error of the store. */
  readAll(run: string, mode: "read" | "write"): Reading;
  cleanup(): Promise<void>;
}

/** How many of the events of `settled` were committed together each time. */
const EVENTS_OF_COMMIT = 5;

/** Runs of the format that is made, or of an earlier one. */
export async function createDamagedRuns(format?: EarlierFormat): Promise<DamagedRuns> {
  const { store, runsDirectory, cleanup } =
    format === undefined ? createTemporaryStore() : createEarlierStore(format);
  const path = (...names: string[]) => join(runsDirectory, ...names);
  let copies = 0;
  for (const [run, settled] of [
    ["settled", EVENTS.length],
    ["logged", SETTLED_OF_LOGGED],
  ] as const) {
    const close = await writeRun(store, run, settled);
    // Copied while it is open, as a crash would leave it; no other process takes part.
    copyRun(path(run), path(`.${run}`));
    close();
  }
  return {
    store,
    path,
    damagedRun: (original, damage = () => {}) => {
      copies += 1;
      const run = `copy-${copies}`;
      copyRun(path(`.${original}`), path(run));
      damage(path(run));
      return run;
    },
    readAll: (run, mode) => readAll(store, run, mode),
    cleanup,
  };
}

/** Checks the promise: either all events, or an error after some of the first ones. */
export function expectTruth({ events, code }: Reading): void {
  expect(events).toEqual(EVENTS.slice(0, events.length));
  if (code === undefined) expect(events.length).toBe(EVENTS.length);
}

async function writeRun(store: RunStore, run: string, settled: number): Promise<() => void> {
  const journal = store.create(run);
  journal.takeLease(claim({}), RULES);
  const blobs = { [sha256(BLOB)]: BLOB };
  for (let from = 0; from < settled; from += EVENTS_OF_COMMIT) {
    const events = EVENTS.slice(from, from + EVENTS_OF_COMMIT);
    await journal.append({ epoch: 1, events, head: HEAD, blobs });
  }
  journal.close();
  const later = store.open(run, "write");
  for (const event of EVENTS.slice(settled)) await later.append({ epoch: 1, events: [event] });
  later.seal();
  return () => later.close();
}

function copyRun(from: string, to: string): void {
  mkdirSync(to);
  for (const file of FILES)
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file));
}

function readAll(store: RunStore, run: string, mode: "read" | "write"): Reading {
  const events: JournalEvent[] = [];
  try {
    const journal = store.open(run, mode);
    try {
      for (const event of journal.read()) events.push(event);
      journal.leaseHolder();
      expect(journal.head()).toEqual(HEAD);
      expect(journal.blob(sha256(BLOB))).toBe(BLOB);
      return { events, code: undefined };
    } finally {
      journal.close();
    }
  } catch (error) {
    if (!(error instanceof TroupeError) || !error.code.startsWith("STORE_")) throw error;
    return { events, code: error.code, error };
  }
}
