import { expect, test } from "vitest";
import { takeOwnership } from "../../src/engine/embedded/ownership.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { MemoryJournal } from "../../src/journal/memory-journal.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

/** A journal whose first renewals find no free descriptor. */
class ShortJournal extends MemoryJournal {
  readonly renewals: string[] = [];

  override renewLease(epoch: number, nowMs: number): void {
    const isShort = this.renewals.length < 2;
    this.renewals.push(isShort ? "short" : "renewed");
    if (isShort) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    super.renewLease(epoch, nowMs);
  }
}

test("a run is kept although too many files are open when its lease is renewed", async () => {
  const state = {
    ...{ run: "run_aaaaaa", events: [], blobs: new Map(), waiters: new Set<() => void>() },
    ...{ head: undefined, lease: { epoch: 0 }, seen: undefined, hasGivenUp: false },
  };
  const journal = new ShortJournal(state, "write");
  const timers = createManualClock();
  const table = createProcessTable();
  const [pid, pidStartedAt] = [process.pid, table.find(process.pid)?.startedAt ?? ""];
  const claim = { pid, pidStartedAt, bootId: table.bootId(), command: "test", socketPath: "" };
  const ownership = await takeOwnership({ journal, claim, timers, table });
  const lost: unknown[] = [];
  ownership.onLost((error) => lost.push(error));
  await timers.advance(3000);
  await expect.poll(() => journal.renewals).toEqual(["short", "short", "renewed"]);
  await timers.advance(3000);
  expect(journal.renewals).toHaveLength(4);
  expect(lost).toEqual([]);
  ownership.release();
});
