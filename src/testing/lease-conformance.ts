import assert from "node:assert/strict";
import { claim, type JournalCase, logs, onStore, owned, RULES, rejects } from "./journal-case.ts";

/** What every Journal must do about its lease. */
export const leaseConformance: readonly JournalCase[] = [
  onStore("nothing is appended without the lease [ENG-4]", async (store) => {
    const journal = store.create("run-a");
    await rejects(journal.append({ epoch: 0, events: logs(1, 1) }), "ENGINE_LEASE_LOST");
    await rejects(journal.append({ epoch: 1, events: logs(1, 1) }), "ENGINE_LEASE_LOST");
    assert.equal(journal.lastSeq(), 0);
    journal.close();
  }),
  onStore("a free lease is taken, a held one is not", (store) => {
    const { journal } = owned(store);
    const other = store.open("run-a", "write");
    const attempt = other.takeLease(claim({ pid: 2, nowMs: 4000 }), RULES);
    const { nowMs: _, ...owner } = claim({ pid: 1 });
    const holder = { ...owner, epoch: 1 };
    assert.deepEqual(attempt, { status: "held", holder, renewedAgoMs: 4000 });
    assert.partialDeepStrictEqual(other.leaseHolder(), holder);
    journal.close();
    other.close();
  }),
  onStore(
    "the lease of an owner on another host, boot or pid namespace is taken once it stayed unchanged for one TTL of the claimant's clock, whatever the owner's clock said [ENG-20.elsewhere]",
    (store) => {
      const { journal } = owned(store);
      journal.renewLease(1, 900_000);
      const rules = { ttlMs: 10_000, isGone: () => true };
      const claimAt = (nowMs: number) =>
        journal.takeLease(claim({ pid: 2, bootId: "boot-2", nowMs }), rules);
      assert.equal(claimAt(500).status, "held");
      assert.equal(claimAt(10_499).status, "held");
      journal.renewLease(1, 903_000);
      assert.partialDeepStrictEqual(claimAt(10_500), { status: "held", renewedAgoMs: 0 });
      assert.equal(claimAt(20_499).status, "held");
      assert.deepEqual(claimAt(20_500), { status: "taken", epoch: 2 });
      journal.close();
    },
  ),
  onStore("the lease of a process that is gone is taken at once", (store) => {
    const { journal } = owned(store);
    const attempt = journal.takeLease(claim({ pid: 2 }), {
      ttlMs: 10_000,
      isGone: (holder) => holder.pid === 1,
    });
    assert.deepEqual(attempt, { status: "taken", epoch: 2 });
    journal.close();
  }),
  onStore("a lease that was not renewed in time is taken from a living process", (store) => {
    const { journal } = owned(store);
    journal.renewLease(1, 5000);
    const early = journal.takeLease(claim({ pid: 2, nowMs: 14_999 }), RULES);
    assert.equal(early.status, "held");
    const late = journal.takeLease(claim({ pid: 2, nowMs: 15_000 }), RULES);
    assert.deepEqual(late, { status: "taken", epoch: 2 });
    journal.close();
  }),
  onStore(
    "an owner that lost its lease appends, renews and releases nothing [ENG-4, P5]",
    async (store) => {
      const { journal, epoch } = owned(store);
      const other = store.open("run-a", "write");
      other.takeLease(claim({ pid: 2, nowMs: 20_000 }), RULES);
      await rejects(journal.append({ epoch, events: logs(1, 1) }), "ENGINE_LEASE_LOST");
      assert.throws(() => journal.renewLease(epoch, 20_001), { code: "ENGINE_LEASE_LOST" });
      journal.releaseLease(epoch);
      assert.equal(other.leaseHolder()?.pid, 2);
      await other.append({ epoch: 2, events: logs(1, 1) });
      assert.deepEqual([...journal.read()], logs(1, 1));
      journal.close();
      other.close();
    },
  ),
  onStore("an epoch is never given out twice, not even after a release [ENG-4]", async (store) => {
    const { journal, epoch } = owned(store);
    journal.releaseLease(epoch);
    assert.equal(journal.leaseHolder(), undefined);
    await rejects(journal.append({ epoch, events: logs(1, 1) }), "ENGINE_LEASE_LOST");
    assert.throws(() => journal.renewLease(epoch, 1), { code: "ENGINE_LEASE_LOST" });
    const attempt = journal.takeLease(claim({ pid: 1 }), RULES);
    assert.deepEqual(attempt, { status: "taken", epoch: 2 });
    journal.close();
  }),
];
