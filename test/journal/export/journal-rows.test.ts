import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sha256 } from "../../../src/foundation/hash.ts";
import { openJournalRows } from "../../../src/journal/export/journal-rows.ts";
import { logs } from "../../../src/testing/journal-case.ts";
import { makeEarlierJournal } from "../earlier-formats.ts";
import { openFilesUnder } from "../open-files.ts";
import { createTemporaryStore, type TemporaryStore } from "../temporary-store.ts";
import { TEXTS, writeRun } from "./exported-run.ts";

let temporary: TemporaryStore;

beforeEach(async () => {
  temporary = createTemporaryStore();
  onTestFinished(() => temporary.cleanup());
  await writeRun(temporary, "run-a");
});

const path = (name: string) => join(temporary.runsDirectory, "run-a", name);

function change(sql: string): void {
  const db = new DatabaseSync(path("journal.db"));
  db.exec(sql);
  db.close();
}

/** What the rows of the run come to; throws what reading them raises. */
function read(isSalvage: boolean) {
  const rows = openJournalRows(temporary.runsDirectory, "run-a", isSalvage);
  try {
    const texts = [...rows.texts()].map(({ text }) => text).toSorted();
    const events = [...rows.events()].map(({ seq }) => seq);
    return { epoch: rows.epoch, salvage: rows.salvage, texts, events };
  } finally {
    rows.close();
  }
}

const whole = { epoch: 1, salvage: undefined, texts: TEXTS.toSorted(), events: [1, 2, 3] };
const corrupt = expect.objectContaining({ code: "STORE_CORRUPT" });

test("a journal that is whole is read the same, whether it is to be salvaged or not [P7]", () => {
  expect(read(false)).toEqual(whole);
  expect(read(true)).toEqual(whole);
  expect(openFilesUnder(temporary.runsDirectory)).toEqual([]);
});

test("rows are those of one moment, whatever the owner adds meanwhile", async () => {
  const rows = openJournalRows(temporary.runsDirectory, "run-a", false);
  const owner = temporary.store.open("run-a", "write");
  onTestFinished(() => owner.close());
  const claim = { pid: 1, pidStartedAt: "1", bootId: "1", socketPath: "", command: "x", nowMs: 0 };
  owner.takeLease(claim, { ttlMs: 0, isGone: () => true });
  await owner.append({ epoch: 2, events: logs(4, 5) });
  expect([...rows.events()].map(({ seq }) => seq)).toEqual([1, 2, 3]);
  rows.close();
  expect(read(false)).toMatchObject({ epoch: 2, events: [1, 2, 3, 4, 5] });
});

test("a text that is not the one of its hash is lost, and raised unless it is to be salvaged [P7]", () => {
  const hash = sha256("a prompt");
  change(`UPDATE texts SET body = 'another' WHERE hash = '${hash}'`);
  expect(() => read(false)).toThrow(
    expect.objectContaining({
      code: "STORE_CORRUPT",
      message: expect.stringContaining(`its blob ${hash} does not match its hash`),
      details: expect.objectContaining({ run: "run-a", firstBadSeq: 1, intactUpTo: 0 }),
    }),
  );
  expect(read(true)).toEqual({
    ...whole,
    texts: ["the definition of a run"],
    salvage: { problem: "texts do not match their hashes", sealedSeq: 3, lostTexts: 1 },
  });
});

test("a lease that cannot be read costs the epoch, and is told [P7]", () => {
  change("DELETE FROM lease");
  expect(() => read(false)).toThrow(corrupt);
  expect(read(true)).toEqual({
    ...whole,
    epoch: 0,
    salvage: {
      problem: expect.stringContaining("its lease cannot be read"),
      sealedSeq: 3,
      lostTexts: 0,
    },
  });
});

test("a seal that cannot be read says nothing of how much there was [P7]", () => {
  writeFileSync(path("journal.seal"), "half a se");
  expect(read(true)).toEqual({
    ...whole,
    salvage: {
      problem: expect.stringContaining("its seal (journal.seal) cannot be read"),
      sealedSeq: null,
      lostTexts: 0,
    },
  });
});

test("events that its seal says were written are missed, and without a seal nothing is [P7]", () => {
  const seal = { format: 1, seq: 4, hash: sha256("") };
  writeFileSync(path("journal.seal"), JSON.stringify(seal));
  const problem = "its seal says that 4 events were written";
  expect(read(true).salvage).toEqual({ problem, sealedSeq: 4, lostTexts: 0 });
  rmSync(path("journal.seal"));
  expect(read(true)).toEqual(whole);
});

test("a seal of a newer format is no damage that could be salvaged [ENG-16]", () => {
  writeFileSync(path("journal.seal"), JSON.stringify({ format: 2, seq: 3, hash: sha256("") }));
  expect(() => read(true)).toThrow(expect.objectContaining({ code: "STORE_FORMAT_UNKNOWN" }));
});

test("the first damage is the one that is told [P7]", () => {
  change("UPDATE batches SET hash = 'x'; DELETE FROM lease");
  const { events, salvage } = read(true);
  expect(events).toEqual([]);
  expect(salvage?.problem).toContain("the events from 1 to 3 do not match their hash");
});

test.each([1, 2] as const)("texts of a run of format %d come out too [ENG-16]", async (format) => {
  const directory = join(temporary.runsDirectory, "run-b");
  makeEarlierJournal(directory, format);
  const db = new DatabaseSync(join(directory, "journal.db"));
  db.prepare("INSERT INTO blobs VALUES (?, ?)").run(sha256("early"), "early");
  db.close();
  for (const isSalvage of [false, true]) {
    const rows = openJournalRows(temporary.runsDirectory, "run-b", isSalvage);
    expect([...rows.texts()]).toEqual([{ hash: sha256("early"), text: "early" }]);
    expect([rows.salvage, [...rows.events()]]).toEqual([undefined, []]);
    rows.close();
  }
});

test("what is no run is not found, and what may not be read is told", () => {
  for (const run of ["run-z", "../run-a"])
    expect(() => openJournalRows(temporary.runsDirectory, run, false)).toThrow(
      expect.objectContaining({ code: "RUN_NOT_FOUND", details: { run, known: [] } }),
    );
  writeFileSync(path("journal.db"), "hello ".repeat(2000));
  expect(() => read(true)).toThrow(corrupt);
  rmSync(path("journal.db"));
  expect(() => read(false)).toThrow(expect.objectContaining({ code: "RUN_NOT_FOUND" }));
});
