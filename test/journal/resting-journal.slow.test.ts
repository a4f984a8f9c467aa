import { cpSync, existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { Journal } from "../../src/contracts/ports/store.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { openFilesUnder } from "./open-files.ts";
import { createTemporaryStore, type TemporaryStore } from "./temporary-store.ts";

// A journal that its owner renews and does not use has no connection, and nobody can tell but by what it costs.

// Others of this process come to rest before, one at a time.
const PATIENCE = { timeout: 15_000 };

let place: TemporaryStore;

beforeEach(() => {
  place = createTemporaryStore();
  onTestFinished(() => place.cleanup());
});

async function owned(run = "run-a"): Promise<Journal> {
  const journal = place.store.create(run);
  onTestFinished(() => journal.close());
  journal.takeLease(claim({ pid: process.pid }), RULES);
  await journal.append({ epoch: 1, events: logs(1, 3), head: { at: 3 }, blobs: {} });
  return journal;
}

/** Renews until it has come to rest. */
async function rest(journal: Journal): Promise<void> {
  for (const nowMs of [3000, 6000]) journal.renewLease(1, nowMs);
  await expect.poll(() => openFiles(journal.run), PATIENCE).toBe(0);
}

/** How many files of a run this process has open. */
function openFiles(run = "run-a"): number {
  return openFilesUnder(join(place.runsDirectory, run)).length;
}

test("after two renewals without use no file of it is open, its log is gone, and it goes on where it was", async () => {
  const journal = await owned();
  journal.renewLease(1, 1000);
  expect(openFiles()).toBe(3);
  journal.renewLease(1, 2000);
  await expect.poll(() => openFiles(), PATIENCE).toBe(0);
  expect(existsSync(join(place.runsDirectory, "run-a/journal.db-wal"))).toBe(false);
  await journal.append({ epoch: 1, events: logs(4, 5), head: { at: 5 } });
  expect([...journal.read()]).toEqual(logs(1, 5));
  await rest(journal);
  expect(journal.head()).toEqual({ at: 5 });
  await rest(journal);
  expect([...journal.read(3)]).toEqual(logs(4, 5));
  await rest(journal);
  journal.seal();
  await rest(journal);
  journal.releaseLease(1);
  journal.close();
  const reader = place.store.open("run-a", "read");
  onTestFinished(() => reader.close());
  expect([[...reader.read()], reader.leaseHolder()]).toEqual([logs(1, 5), undefined]);
});

test("use between two renewals keeps it open, and so does whoever is reading it", async () => {
  const journal = await owned();
  for (const nowMs of [1000, 2000, 3000, 4000]) {
    journal.lastSeq();
    journal.renewLease(1, nowMs);
  }
  // One after the other comes to rest: this one, if at all, before that.
  await rest(await owned("run-b"));
  expect(openFiles()).toBe(3);
  const reading = journal.read()[Symbol.iterator]();
  const first = reading.next();
  for (let renewal = 4; renewal < 9; renewal += 1) journal.renewLease(1, renewal * 1000);
  await rest(await owned("run-c"));
  expect(openFiles()).toBe(3);
  const others = [...{ [Symbol.iterator]: () => reading }];
  expect([first.value, ...others]).toEqual(logs(1, 3));
  await rest(journal);
});

test("use between the renewal and the turn to come to rest keeps it open", async () => {
  const journal = await owned();
  for (const nowMs of [1000, 2000]) journal.renewLease(1, nowMs);
  journal.lastSeq();
  // It had its turn before this one.
  await rest(await owned("run-b"));
  expect(openFiles()).toBe(3);
});

test("where many are awake, one that nobody uses comes to rest without a renewal, and is told from one that was taken over", async () => {
  const used = await owned("run-used");
  const others: Journal[] = [];
  for (let number = 1; number <= 20; number += 1) others.push(await owned(`run-${number}`));
  const [renewed, lost] = others;
  const log = () => {
    const { ino, birthtimeMs } = statSync(join(place.runsDirectory, "run-used/journal.db-wal"));
    return { ino, birthtimeMs };
  };
  const firstLog = log();
  const open = () => {
    used.lastSeq();
    return others.filter(({ run }) => openFiles(run) > 0).length;
  };
  await expect.poll(open, PATIENCE).toBe(0);
  // Its log is gone once it has rested, and another one comes with the next use.
  expect([openFiles(used.run), log()]).toEqual([3, firstLog]);
  for (const journal of others) expect(journal.lastSeq()).toBe(3);
  expect(open()).toBe(others.length);
  await expect.poll(open, PATIENCE).toBe(0);
  renewed?.renewLease(1, 3000);
  expect(openFiles(renewed?.run)).toBe(0);
  await renewed?.append({ epoch: 1, events: logs(4, 4) });
  expect([...(renewed?.read() ?? [])]).toEqual(logs(1, 4));
  const rival = place.store.open("run-2", "write");
  onTestFinished(() => rival.close());
  expect(rival.takeLease(claim({ pid: 2, nowMs: 60_000 }), RULES)).toMatchObject({ epoch: 2 });
  await rival.append({ epoch: 2, events: logs(4, 4) });
  expect(() => lost?.renewLease(1, 60_001)).toThrow("was taken over");
});

test("a journal that is closed at rest stays closed", async () => {
  const journal = await owned();
  await rest(journal);
  journal.close();
  await expect(journal.append({ epoch: 1, events: logs(4, 4) })).rejects.toMatchObject({
    code: "STORE_UNWRITABLE",
    message: expect.stringContaining("it was closed meanwhile"),
  });
  expect(() => journal.lastSeq()).toThrow("it was closed meanwhile");
  expect(openFiles()).toBe(0);
});

test("a run that is removed while its journal rests is missed and not made anew", async () => {
  const journal = await owned();
  await rest(journal);
  rmSync(join(place.runsDirectory, "run-a"), { recursive: true });
  await expect(journal.append({ epoch: 1, events: logs(4, 4) })).rejects.toMatchObject({
    code: "STORE_UNWRITABLE",
    message: expect.stringContaining("it is gone"),
  });
  expect(place.store.list()).toEqual([]);
});

test("a last row that was changed while its journal rested is not written on [T16]", async () => {
  const journal = await owned();
  await rest(journal);
  const db = new DatabaseSync(join(place.runsDirectory, "run-a/journal.db"));
  db.exec("UPDATE batches SET hash = 'x'");
  db.close();
  await expect(journal.append({ epoch: 1, events: logs(4, 4) })).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    details: { intactUpTo: 3 },
  });
});

test("readers of a journal at rest see all of it, and its owner does not wake up for them", async () => {
  const journal = await owned();
  await rest(journal);
  const reader = place.store.open("run-a", "read");
  expect([...reader.read()]).toEqual(logs(1, 3));
  journal.renewLease(1, 9000);
  reader.close();
  journal.renewLease(1, 12_000);
  expect(openFiles()).toBe(0);
});

test("whoever has taken over a run at rest is noticed at the next renewal, and at the next append", async () => {
  const [renewed, appended] = [await owned("run-a"), await owned("run-b")];
  for (const journal of [renewed, appended]) {
    await rest(journal);
    const rival = place.store.open(journal.run, "write");
    onTestFinished(() => rival.close());
    expect(rival.takeLease(claim({ pid: 2, nowMs: 60_000 }), RULES)).toMatchObject({ epoch: 2 });
    await rival.append({ epoch: 2, events: logs(4, 4) });
  }
  expect(() => renewed.renewLease(1, 60_001)).toThrow("was taken over");
  await expect(appended.append({ epoch: 1, events: logs(4, 4) })).rejects.toMatchObject({
    code: "ENGINE_LEASE_LOST",
  });
  expect([...renewed.read()]).toEqual(logs(1, 4));
});

test("a history that was put in the place of one at rest is not written on [T16]", async () => {
  const journal = await owned();
  const copy = join(place.runsDirectory, "..", "copy");
  await rest(journal);
  cpSync(join(place.runsDirectory, "run-a"), copy, { recursive: true });
  await journal.append({ epoch: 1, events: logs(4, 4) });
  await rest(journal);
  cpSync(copy, join(place.runsDirectory, "run-a"), { recursive: true, force: true });
  await expect(journal.append({ epoch: 1, events: logs(5, 5) })).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    details: { intactUpTo: 3 },
  });
  expect(() => journal.renewLease(1, 20_000)).toThrow("was replaced while its run waited");
});
