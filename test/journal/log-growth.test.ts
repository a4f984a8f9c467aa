import { cpSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import type { Journal } from "../../src/contracts/ports/store.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { createTemporaryStore, type TemporaryStore } from "./temporary-store.ts";

/** What a log holds between two checkpoints, and by how much it is lengthened at a time. */
const LOG_BYTES = 500 * 4096;
const RESERVE_BYTES = LOG_BYTES / 4;

const made: TemporaryStore[] = [];

afterEach(async () => {
  for (const temporary of made.splice(0)) await temporary.cleanup();
});

function temporaryStore(): TemporaryStore {
  const temporary = createTemporaryStore();
  made.push(temporary);
  return temporary;
}

function ownedRun({ store }: TemporaryStore): Journal {
  const journal = store.create("run-a");
  journal.takeLease(claim({}), RULES);
  return journal;
}

async function appendOneByOne(journal: Journal, from: number, to: number): Promise<void> {
  for (let seq = from; seq <= to; seq += 1)
    await journal.append({ epoch: 1, events: logs(seq, seq) });
}

const logBytes = ({ runsDirectory }: TemporaryStore) =>
  lstatSync(join(runsDirectory, "run-a", "journal.db-wal")).size;

test("the log of a run that goes on is lengthened when commits have reached its end, until it is as long as it gets", async () => {
  const temporary = temporaryStore();
  const journal = ownedRun(temporary);
  await appendOneByOne(journal, 1, 8);
  expect(logBytes(temporary)).toBeLessThan(RESERVE_BYTES / 2);
  const steps: number[] = [];
  for (let seq = 9; seq <= 520; seq += 1) {
    const before = logBytes(temporary);
    await appendOneByOne(journal, seq, seq);
    if (logBytes(temporary) > before) steps.push(logBytes(temporary) - before);
  }
  const parts = steps.filter((bytes) => bytes > RESERVE_BYTES / 2);
  expect(parts).toHaveLength(4);
  expect(Math.min(...parts)).toBeGreaterThan(RESERVE_BYTES * 0.9);
  expect(Math.max(...parts)).toBeLessThan(RESERVE_BYTES * 1.1);
  // A few commits reach the end before that is seen.
  expect(steps.length).toBeLessThanOrEqual(4 * 5);
  expect(logBytes(temporary)).toBeGreaterThan(LOG_BYTES);
  expect(logBytes(temporary)).toBeLessThan(LOG_BYTES * 1.1);
  expect([...journal.read()]).toEqual(logs(1, 520));
  journal.close();
});

test("a log that was lengthened leaves nothing in the journal, and is lengthened again by the next owner", async () => {
  const temporary = temporaryStore();
  const journal = ownedRun(temporary);
  await appendOneByOne(journal, 1, 20);
  journal.close();
  const later = temporary.store.open("run-a", "write");
  await appendOneByOne(later, 21, 40);
  expect(logBytes(temporary)).toBeGreaterThan(RESERVE_BYTES);
  later.close();
  const path = join(temporary.runsDirectory, "run-a", "journal.db");
  const db = new DatabaseSync(path, { readOnly: true });
  expect(db.prepare("SELECT length(body) AS chars FROM head").get()).toEqual({ chars: null });
  expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  db.close();
  expect(lstatSync(path).size).toBeLessThan(RESERVE_BYTES);
});

test("a run whose machine stops with a lengthened log ends where its last commit ended [ENG-2]", async () => {
  const temporary = temporaryStore();
  const journal = ownedRun(temporary);
  await appendOneByOne(journal, 1, 9);
  const found = temporaryStore();
  const directory = join(found.runsDirectory, "run-a");
  mkdirSync(directory, { recursive: true });
  // What is on the disk while the owner has it open: shared memory does not outlive the machine.
  for (const file of ["journal.db", "journal.db-wal"])
    cpSync(join(temporary.runsDirectory, "run-a", file), join(directory, file));
  journal.close();
  const later = found.store.open("run-a", "write");
  expect([...later.read()]).toEqual(logs(1, 9));
  await appendOneByOne(later, 10, 30);
  expect([...later.read()]).toEqual(logs(1, 30));
  later.close();
});

test("a log that another process keeps from being lengthened grows with its commits, and is lengthened afterwards", async () => {
  const temporary = temporaryStore();
  const journal = ownedRun(temporary);
  await appendOneByOne(journal, 1, 8);
  const rival = new DatabaseSync(join(temporary.runsDirectory, "run-a", "journal.db"));
  rival.exec("BEGIN IMMEDIATE");
  const appended = appendOneByOne(journal, 9, 9);
  rival.exec("ROLLBACK");
  await appended;
  rival.close();
  expect(logBytes(temporary)).toBeLessThan(RESERVE_BYTES);
  await appendOneByOne(journal, 10, 20);
  expect(logBytes(temporary)).toBeGreaterThan(RESERVE_BYTES * 0.9);
  expect([...journal.read()]).toEqual(logs(1, 20));
  journal.close();
});
