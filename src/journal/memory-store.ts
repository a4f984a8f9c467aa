import type { JournalEvent } from "../contracts/events/event.ts";
import type { Journal, JournalFollower, LeaseHolder, RunStore } from "../contracts/ports/store.ts";
import { INSTANCE_PATTERN } from "../foundation/ids.ts";
import { journalOwned, runNotFound, storeRunExists, storeUnwritable } from "./errors.ts";
import { UNOWNED } from "./lease-rules.ts";
import { MemoryJournal, type MemoryRun } from "./memory-journal.ts";

/** Runs that live as long as this value: for tests, and for runs that need no disk. */
export function createMemoryStore({
  isGone = () => false,
}: {
  /** Whether the process of a holder has ended, so that its run may be removed. Defaults to never. */
  isGone?(holder: LeaseHolder): boolean;
} = {}): RunStore {
  const runs = new Map<string, MemoryRun>();
  const list = (): readonly string[] => [...runs.keys()].reverse();
  const find = (run: string): MemoryRun => {
    const state = runs.get(run);
    if (state === undefined) throw runNotFound({ run, known: list() });
    return state;
  };
  return {
    create: (run) => {
      const state = createRun(runs, run);
      runs.set(run, state);
      return new MemoryJournal(state, "write");
    },
    open: (run, mode): Journal => new MemoryJournal(find(run), mode),
    follow: (run, afterSeq) => createMemoryFollower(find(run), afterSeq),
    list,
    has: (run) => runs.has(run),
    // What lives in this process was made by it.
    adopt: (run) => void find(run),
    remove: (run) => {
      const { holding } = find(run).lease;
      if (holding !== undefined && !isGone(holding.holder)) {
        const { pid, command } = holding.holder;
        throw journalOwned({ run, pid, command });
      }
      runs.delete(run);
    },
  };
}

function createRun(runs: ReadonlyMap<string, MemoryRun>, run: string): MemoryRun {
  if (!INSTANCE_PATTERN.test(run))
    throw storeUnwritable({ run, place: "in memory", problem: "this is not an id for a run" });
  if (runs.has(run)) throw storeRunExists({ run });
  return {
    run,
    events: [],
    blobs: new Map(),
    waiters: new Set(),
    head: undefined,
    lease: UNOWNED,
    seen: undefined,
    hasGivenUp: false,
  };
}

function createMemoryFollower(state: MemoryRun, afterSeq: number): JournalFollower {
  const closed = new AbortController();
  let cursor = afterSeq;
  return {
    next: async (signal) => {
      const either = AbortSignal.any([signal, closed.signal]);
      either.throwIfAborted();
      if (state.events.length <= cursor) await appended(state, cursor, either);
      const events: readonly JournalEvent[] = state.events.slice(cursor);
      cursor += events.length;
      return events;
    },
    close: () => closed.abort(),
  };
}

function appended(state: MemoryRun, cursor: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      state.waiters.delete(wake);
      signal.removeEventListener("abort", abort);
    };
    const wake = () => {
      if (state.events.length <= cursor) return;
      stop();
      resolve();
    };
    const abort = () => {
      stop();
      reject(signal.reason);
    };
    state.waiters.add(wake);
    signal.addEventListener("abort", abort, { once: true });
  });
}
