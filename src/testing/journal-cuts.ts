import type { JournalEvent } from "../contracts/events/event.ts";
import type { AppendBatch, Journal, RunStore } from "../contracts/ports/store.ts";
import { createMemoryStore } from "../journal/memory-store.ts";

/** A store in memory that remembers what each commit wrote, so that a test can crash between any two. */
export interface CuttableStore extends RunStore {
  /** Seq of the last event of every commit of a run, in order. */
  commits(run: string): readonly number[];
  /** How many commits there were in all runs together. */
  readonly moments: number;
  /** A new store that holds all runs as a crash after the first `moment` commits would leave them. */
  cutAt(moment: number): Promise<CuttableStore>;
  /** A new store that holds the run as a crash after this seq would leave it: its owner dead, its lease free. */
  cutAfter(run: string, seq: number): Promise<CuttableStore>;
}

/** An empty store that can be cut. */
export function createCuttableStore(): CuttableStore {
  const store = createMemoryStore();
  const commits = new Map<string, number[]>();
  const blobs = new Map<string, { [hash: string]: string }>();
  const order: { readonly run: string; readonly seq: number }[] = [];
  const watch = (journal: Journal): Journal => {
    const append = journal.append.bind(journal);
    return Object.assign(journal, {
      append: async (batch: Parameters<Journal["append"]>[0]) => {
        await append(batch);
        const last = batch.events.at(-1)?.seq;
        if (last !== undefined) {
          commits.set(journal.run, [...commitsOf(journal.run), last]);
          order.push({ run: journal.run, seq: last });
        }
        blobs.set(journal.run, { ...blobs.get(journal.run), ...batch.blobs });
      },
    });
  };
  const commitsOf = (run: string) => commits.get(run) ?? [];
  return {
    create: (run) => watch(store.create(run)),
    open: (run, mode) => watch(store.open(run, mode)),
    follow: (run, afterSeq) => store.follow(run, afterSeq),
    list: () => store.list(),
    has: (run) => store.has(run),
    adopt: (run) => store.adopt(run),
    remove: (run) => store.remove(run),
    commits: commitsOf,
    get moments() {
      return order.length;
    },
    cutAt: async (moment) => {
      const cut = createCuttableStore();
      const last = new Map(order.slice(0, moment).map(({ run, seq }) => [run, seq]));
      for (const [run, seq] of last)
        await fill(cut, run, { events: eventsUntil(store, run, seq), blobs: blobs.get(run) ?? {} });
      return cut;
    },
    cutAfter: async (run, seq) => {
      const cut = createCuttableStore();
      await fill(cut, run, { events: eventsUntil(store, run, seq), blobs: blobs.get(run) ?? {} });
      return cut;
    },
  };
}

function eventsUntil(store: RunStore, run: string, seq: number): readonly JournalEvent[] {
  const journal = store.open(run, "read");
  try {
    return [...journal.read()].filter((event) => event.seq <= seq);
  } finally {
    journal.close();
  }
}

async function fill(
  store: RunStore,
  run: string,
  {
    events,
    blobs,
  }: Pick<AppendBatch, "events"> & { readonly blobs: { readonly [hash: string]: string } },
): Promise<void> {
  const journal = store.create(run);
  const dead = { pid: 1, pidStartedAt: "0", bootId: "none", socketPath: "", command: "test" };
  const attempt = journal.takeLease({ ...dead, nowMs: 0 }, { ttlMs: 0, isGone: () => true });
  if (attempt.status === "held") throw new Error(`the new store of ${run} has an owner already`);
  await journal.append({ epoch: attempt.epoch, events, blobs });
  journal.releaseLease(attempt.epoch);
  journal.close();
}
