import { expect, test } from "vitest";
import { readListing } from "../../../src/app/runs/run-heads.ts";
import { itemLines } from "../../../src/cli/inbox/item-lines.ts";
import { findEntry, listInbox } from "../../../src/cli/inbox/list-inbox.ts";
import { UNICODE_GLYPHS } from "../../../src/cli/terminal/glyphs.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
import { textOfItem } from "../../../src/cli/view/parts/inbox-text.ts";
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
  spawned,
  started,
  turnStarted,
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

test("who is asked once more what may have run already sees that: in the inbox, in JSON and where the run is watched [AGT-18.again]", async () => {
  const repeats = { id: "prm_a", outcome: "unknown" } as const;
  const asked: EventData = {
    ...{ type: "permission-requested", id: "prm_b", agent: "coder", turn: 1, tool: "Bash" },
    ...{ input: { command: "ls" }, repeats },
  };
  const events = [created, started, spawned("coder"), turnStarted("coder", 1), asked];
  const store = await storeWith(events);
  const known = "allowed before the interruption; it may have run, wholly or in part";
  const entry = findEntry({ store }, "prm_b");
  expect(entry).toMatchObject({ id: "prm_b", known });
  const settings = { glyphs: UNICODE_GLYPHS, paint: createPaint(false) };
  expect(itemLines(entry, { nowMs: 0, settings })).toContain(`  ${known}`);
  const item = foldAll("run_a", journal(events)).inbox.get("prm_b");
  expect(item && textOfItem(item)).toBe(`Bash: ls (${known})`);
});
