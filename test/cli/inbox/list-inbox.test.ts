import { expect, test } from "vitest";
import { readListing } from "../../../src/app/runs/run-heads.ts";
import { findEntry, listInbox } from "../../../src/cli/inbox/list-inbox.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import type { RunStore } from "../../../src/contracts/ports/store.ts";
import { foldAll } from "../../../src/fold/fold.ts";
import { toHead } from "../../../src/fold/head.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import {
  approvalRequested,
  created,
  ended,
  journal,
  scheduled,
  started,
} from "../../fold/journal-builder.ts";

const ASKED = [
  created,
  started,
  scheduled("approval#1", "approval"),
  approvalRequested("apr_a", "approval#1"),
];

/** A project with a run of these events. */
async function storeWith(events: readonly EventData[]): Promise<RunStore> {
  const store = createMemoryStore();
  await addRun(store, "run_a", events);
  return store;
}

async function addRun(store: RunStore, id: string, events: readonly EventData[]): Promise<void> {
  const run = store.create(id);
  const holder = { pid: 1, pidStartedAt: "0", bootId: "b", socketPath: "", command: "", nowMs: 0 };
  const lease = run.takeLease(holder, { ttlMs: 0, isGone: () => true });
  if (lease.status === "held") throw new Error("nobody else is there");
  const recorded = journal(events);
  await run.append({
    epoch: lease.epoch,
    events: recorded,
    head: toHead(foldAll(id, recorded)),
  });
  run.releaseLease(lease.epoch);
}

/** A project in which these events are added between the first look at a run and the next. */
async function storeThatMovesOn(events: readonly EventData[]): Promise<RunStore> {
  const [before, after] = [await storeWith(ASKED), await storeWith([...ASKED, ...events])];
  let looks = 0;
  return {
    ...after,
    open: (run, mode) => {
      looks += 1;
      return (looks === 1 ? before : after).open(run, mode);
    },
  };
}

test("what somebody decides while another one looks at it is told with who it was [STP-8, P14]", async () => {
  const rejected: EventData = {
    type: "approval-resolved",
    approval: "apr_a",
    decision: "rejected",
    by: "ann",
  };
  for (const events of [[rejected], [rejected, ended]]) {
    const store = await storeThatMovesOn(events);
    expect(() => findEntry({ store }, "apr_a")).toThrow(
      '"apr_a" was decided before: rejected by ann',
    );
  }
  const cancelled = await storeThatMovesOn([ended]);
  expect(() => findEntry({ store: cancelled }, "apr_a")).toThrow('nothing called "apr_a" waits');
});

test("of the runs of a listing only those that wait are read [CLI-1]", async () => {
  const store = await storeWith(ASKED);
  for (const id of ["run_b", "run_c"]) await addRun(store, id, [created, started, ended]);
  const runs = store.list().flatMap((id) => readListing(store, id, () => false) ?? []);
  expect(runs).toHaveLength(3);
  const opened: string[] = [];
  const watched: RunStore = {
    ...store,
    open: (run, mode) => {
      opened.push(run);
      return store.open(run, mode);
    },
    list: () => {
      opened.push("all");
      return store.list();
    },
  };
  expect(listInbox({ store: watched }, runs).map(({ id }) => id)).toEqual(["apr_a"]);
  expect(opened).toEqual(["run_a"]);
});
