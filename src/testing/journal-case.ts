import assert from "node:assert/strict";
import type { Journal, LeaseClaim, NewEvent, RunStore } from "../contracts/ports/store.ts";

/** A store under test and how to get rid of it. */
export interface StoreUnderTest {
  readonly store: RunStore;
  cleanup(): Promise<void>;
}

/** One promise that every adapter of the journal keeps. `run` rejects when it is broken. */
export interface JournalCase {
  readonly name: string;
  run(makeStore: () => Promise<StoreUnderTest>): Promise<void>;
}

/** Rules under which only time takes a lease from its holder, after 10 s. */
export const RULES = { ttlMs: 10_000, isGone: () => false };

/** A case that runs `check` on a fresh store and then gets rid of it. */
export function onStore(
  name: string,
  check: (store: RunStore) => void | Promise<void>,
): JournalCase {
  return {
    name,
    run: async (makeStore) => {
      const { store, cleanup } = await makeStore();
      try {
        await check(store);
      } finally {
        await cleanup();
      }
    },
  };
}

/** A new run `run-a`, owned by process 1 under epoch 1. */
export function owned(store: RunStore): { readonly journal: Journal; readonly epoch: number } {
  const journal = store.create("run-a");
  const attempt = journal.takeLease(claim({ pid: 1 }), RULES);
  assert.deepEqual(attempt, { status: "taken", epoch: 1 });
  return { journal, epoch: 1 };
}

/** A claim of process 1 at time 0, unless told otherwise. */
export function claim(parts: Partial<LeaseClaim>): LeaseClaim {
  const fixed = { pid: 1, pidStartedAt: "17", bootId: "boot-1", socketPath: "/run/1.sock" };
  return { ...fixed, command: "troupe run review", nowMs: 0, ...parts };
}

/** A small event. */
export function log(seq: number, text = `line ${seq}`): NewEvent {
  return { type: "log", note: `log#${seq}`, level: "info", text, seq, at: 1_700_000_000_000 + seq };
}

/** Small events with consecutive places. */
export function logs(from: number, to: number): readonly NewEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => log(from + index));
}

/** Waits for a refusal with this code. */
export async function rejects(promise: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(promise, { code });
}
