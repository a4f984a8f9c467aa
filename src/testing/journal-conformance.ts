import assert from "node:assert/strict";
import type { JournalEvent } from "../contracts/events/event.ts";
import { sha256 } from "../foundation/hash.ts";
import {
  claim,
  type JournalCase,
  log,
  logs,
  onStore,
  owned,
  RULES,
  rejects,
} from "./journal-case.ts";
import { leaseConformance } from "./lease-conformance.ts";

/** What every RunStore and Journal must do. */
export const journalConformance: readonly JournalCase[] = [
  onStore("an empty journal has no events, no head and no owner", (store) => {
    const journal = store.create("run-a");
    assert.equal(journal.run, "run-a");
    assert.equal(journal.lastSeq(), 0);
    assert.deepEqual([...journal.read()], []);
    assert.equal(journal.head(), undefined);
    assert.equal(journal.blob(sha256("x")), undefined);
    assert.equal(journal.leaseHolder(), undefined);
    journal.close();
  }),
  onStore("events come back whole and in order, from any place", async (store) => {
    const { journal, epoch } = owned(store);
    await journal.append({ epoch, events: logs(1, 3) });
    await journal.append({ epoch, events: logs(4, 700) });
    assert.deepEqual([...journal.read()], logs(1, 700));
    assert.deepEqual([...journal.read(3)], logs(4, 700));
    assert.deepEqual([...journal.read(700)], []);
    assert.deepEqual([...journal.read(800)], []);
    assert.equal(journal.lastSeq(), 700);
    journal.close();
  }),
  onStore("another opening sees what was appended", async (store) => {
    const { journal, epoch } = owned(store);
    const reader = store.open("run-a", "read");
    await journal.append({ epoch, events: logs(1, 2), head: { state: "running" } });
    assert.deepEqual([...reader.read()], logs(1, 2));
    assert.deepEqual(reader.head(), { state: "running" });
    journal.close();
    reader.close();
    const later = store.open("run-a", "write");
    assert.deepEqual([...later.read()], logs(1, 2));
    later.close();
  }),
  onStore("texts of every script, long and empty ones survive", async (store) => {
    const { journal, epoch } = owned(store);
    const texts = ["", "\u0000\n\u2028", "grüße 👩‍👩‍👧 \u202e", "x".repeat(200_000)];
    const events = texts.map((text, index) => log(index + 1, text));
    await journal.append({ epoch, events });
    assert.deepEqual([...journal.read()], events);
    journal.close();
  }),
  onStore("two readings of one journal do not disturb each other", async (store) => {
    const { journal, epoch } = owned(store);
    await journal.append({ epoch, events: logs(1, 600) });
    const outer = journal.read()[Symbol.iterator]();
    assert.equal(outer.next().value?.seq, 1);
    assert.equal([...journal.read()].length, 600);
    assert.equal(outer.next().value?.seq, 2);
    journal.close();
  }),
  onStore("the head is replaced, and kept by a batch without one", async (store) => {
    const { journal, epoch } = owned(store);
    await journal.append({ epoch, events: logs(1, 1), head: { n: 1 } });
    await journal.append({ epoch, events: logs(2, 2), head: { n: 2 } });
    await journal.append({ epoch, events: logs(3, 3) });
    assert.deepEqual(journal.head(), { n: 2 });
    journal.close();
  }),
  onStore("a batch may hold a head and blobs alone", async (store) => {
    const { journal, epoch } = owned(store);
    await journal.append({ epoch, events: [], head: null, blobs: { [sha256("a")]: "a" } });
    assert.equal(journal.head(), null);
    assert.equal(journal.blob(sha256("a")), "a");
    assert.equal(journal.lastSeq(), 0);
    journal.close();
  }),
  onStore("a blob is stored once and found by its hash", async (store) => {
    const { journal, epoch } = owned(store);
    const blobs = { [sha256("one")]: "one", [sha256("two")]: "two" };
    await journal.append({ epoch, events: logs(1, 1), blobs });
    await journal.append({ epoch, events: logs(2, 2), blobs });
    assert.equal(journal.blob(sha256("one")), "one");
    assert.equal(journal.blob(sha256("two")), "two");
    assert.equal(journal.blob(sha256("three")), undefined);
    journal.close();
  }),
  onStore("events that leave a gap, overlap or repeat are refused whole", async (store) => {
    const { journal, epoch } = owned(store);
    await journal.append({ epoch, events: logs(1, 2) });
    for (const events of [logs(4, 4), logs(2, 3), [log(3), log(5)], [log(3), log(3)]])
      await rejects(journal.append({ epoch, events, head: { wrong: true } }), "STORE_CORRUPT");
    assert.deepEqual([...journal.read()], logs(1, 2));
    assert.equal(journal.head(), undefined);
    journal.close();
  }),
  ...leaseConformance,
  onStore("sealing changes nothing that is read", async (store) => {
    const { journal, epoch } = owned(store);
    journal.seal();
    await journal.append({ epoch, events: logs(1, 5) });
    journal.seal();
    journal.seal();
    journal.close();
    const reader = store.open("run-a", "read");
    assert.deepEqual([...reader.read()], logs(1, 5));
    reader.close();
  }),
  onStore("that an owner gave up is known to the next one, once", (store) => {
    const first = owned(store).journal;
    assert.equal(first.beginWork(), false);
    first.giveUpWork();
    first.giveUpWork();
    first.close();
    const next = store.open("run-a", "write");
    assert.deepEqual([next.beginWork(), next.beginWork()], [true, false]);
    next.close();
  }),
  onStore("a journal opened for reading writes nothing [ENG-5]", async (store) => {
    store.create("run-a").close();
    const reader = store.open("run-a", "read");
    assert.throws(() => reader.takeLease(claim({ pid: 1 }), RULES), { code: "STORE_UNWRITABLE" });
    await rejects(reader.append({ epoch: 1, events: logs(1, 1) }), "STORE_UNWRITABLE");
    const refused = { code: "STORE_UNWRITABLE", message: /run-a.*opened for reading/ };
    assert.throws(() => reader.renewLease(0, 0), refused);
    assert.throws(() => reader.releaseLease(0), refused);
    assert.throws(() => reader.beginWork(), refused);
    assert.throws(() => reader.giveUpWork(), refused);
    assert.throws(() => reader.seal(), refused);
    reader.close();
  }),
  onStore("a closed journal refuses work, and closing again does nothing", async (store) => {
    const { journal, epoch } = owned(store);
    journal.close();
    journal.close();
    assert.throws(() => journal.lastSeq(), { code: "STORE_UNREADABLE" });
    await rejects(journal.append({ epoch, events: logs(1, 1) }), "STORE_UNWRITABLE");
  }),
  onStore("a run is created once", (store) => {
    store.create("run-a").close();
    assert.throws(() => store.create("run-a"), { code: "STORE_RUN_EXISTS", message: /run-a/ });
    assert.deepEqual([store.has("run-a"), store.has("run-b")], [true, false]);
  }),
  onStore("an unknown run is not found, and the error names the nearest", (store) => {
    store.create("run-abc").close();
    const near = { code: "RUN_NOT_FOUND", hint: /run-abc/ };
    assert.throws(() => store.open("run-abd", "read"), near);
    assert.throws(() => store.open("run-abd", "write"), near);
    assert.throws(() => store.follow("run-abd", 0), near);
    assert.throws(() => store.remove("run-abd"), near);
    assert.throws(() => store.adopt("run-abd"), near);
    assert.throws(() => store.open("../run-abc", "read"), { code: "RUN_NOT_FOUND" });
  }),
  onStore("an id that could leave the store is refused", (store) => {
    for (const run of ["", "..", "../x", "a/b", ".hidden", "a\u0000b"])
      assert.throws(() => store.create(run), { code: "STORE_UNWRITABLE" });
    assert.deepEqual(store.list(), []);
  }),
  onStore("runs are listed newest first", (store) => {
    assert.deepEqual(store.list(), []);
    for (const run of ["run-a", "run-b", "run-c"]) store.create(run).close();
    assert.deepEqual(store.list(), ["run-c", "run-b", "run-a"]);
  }),
  onStore("a run is removed when nobody owns it, and may then be created anew", async (store) => {
    const { journal, epoch } = owned(store);
    await journal.append({ epoch, events: logs(1, 1) });
    assert.throws(() => store.remove("run-a"), { code: "RUN_OWNED", message: /process 1 / });
    journal.releaseLease(epoch);
    journal.close();
    store.remove("run-a");
    assert.deepEqual(store.list(), []);
    assert.throws(() => store.open("run-a", "read"), { code: "RUN_NOT_FOUND" });
    const anew = store.create("run-a");
    assert.equal(anew.lastSeq(), 0);
    anew.close();
  }),
  onStore(
    "a follower gets what is there, then what is appended, each event once",
    async (store) => {
      const { journal, epoch } = owned(store);
      await journal.append({ epoch, events: logs(1, 3) });
      const follower = store.follow("run-a", 1);
      const { signal } = new AbortController();
      assert.deepEqual(await follower.next(signal), logs(2, 3));
      const waiting = follower.next(signal);
      for (const events of [[], logs(4, 4)]) await journal.append({ epoch, events, head: null });
      assert.deepEqual(await waiting, logs(4, 4));
      await journal.append({ epoch, events: logs(5, 2500) });
      const rest: JournalEvent[] = [];
      while (rest.length < 2496) rest.push(...(await follower.next(signal)));
      assert.deepEqual(rest, logs(5, 2500));
      follower.close();
      journal.close();
    },
  ),
  onStore(
    "a follower that waits ends with the signal's reason, or when it is closed",
    async (store) => {
      store.create("run-a").close();
      const follower = store.follow("run-a", 0);
      const controller = new AbortController();
      const waiting = follower.next(controller.signal);
      const reason = new Error("enough");
      controller.abort(reason);
      await assert.rejects(waiting, reason);
      await assert.rejects(follower.next(controller.signal), reason);
      const abandoned = follower.next(new AbortController().signal);
      follower.close();
      await assert.rejects(abandoned, { name: "AbortError" });
    },
  ),
];
