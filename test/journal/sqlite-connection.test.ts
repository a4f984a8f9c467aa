import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { LogReserve } from "../../src/journal/log-reserve.ts";
import { filesUnder, type RunFiles } from "../../src/journal/run-files.ts";
import { connect, connectForWriting, setSyncing } from "../../src/journal/sqlite-connection.ts";
import { openFilesUnder } from "./open-files.ts";
import { createTemporaryStore } from "./temporary-store.ts";

let runsDirectory: string;
let files: RunFiles;

beforeEach(() => {
  const temporary = createTemporaryStore();
  onTestFinished(() => temporary.cleanup());
  temporary.store.create("run-a").close();
  ({ runsDirectory } = temporary);
  files = filesUnder(runsDirectory, "run-a", "run-a");
});

function connected(mode: "read" | "write"): DatabaseSync {
  const db = connect(files, mode) ?? expect.unreachable("there is a journal");
  onTestFinished(() => db.close());
  return db;
}

const settingOf = (db: DatabaseSync, name: string) =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];

// What a journal says is not believed before it was looked at, and memory for it is bounded.
const WARY = {
  trusted_schema: 0,
  cell_size_check: 1,
  mmap_size: 0,
  temp_store: 2,
  cache_size: -4096,
};

test.each([
  ["write", { ...WARY, busy_timeout: 0, journal_mode: "wal", synchronous: 2 }],
  ["write", { wal_autocheckpoint: 500, journal_size_limit: 16 * 1024 * 1024 }],
  ["read", { ...WARY, busy_timeout: 0 }],
] as const)(
  "who opens a journal to %s it has these settings [ENG-2, T16]: %j",
  (mode, settings) => {
    const db = connected(mode);
    for (const [name, value] of Object.entries(settings))
      expect([name, settingOf(db, name)]).toEqual([name, value]);
  },
);

test("a connection that only reads cannot write", () => {
  const change = "UPDATE meta SET event_format = 1";
  expect(() => connected("read").exec(change)).toThrow("readonly");
  connected("write").exec(change);
});

test("who begins to write waits a moment for whoever opens or closes the journal", () => {
  const db = connectForWriting(files);
  onTestFinished(() => db.close());
  expect(settingOf(db, "busy_timeout")).toBe(250);
});

test("how commits are synced is set from here on", () => {
  const db = connected("write");
  for (const [syncing, number] of [
    ["OFF", 0],
    ["NORMAL", 1],
    ["FULL", 2],
  ] as const) {
    setSyncing(db, syncing);
    expect(settingOf(db, "synchronous")).toBe(number);
  }
});

test("a log that was lengthened, or could not be, leaves the connection as it was", () => {
  const db = connected("write");
  db.exec("UPDATE head SET body = 'a commit'");
  const lengthen = () => {
    const reserve = new LogReserve(db, files);
    for (let append = 1; append <= 9; append += 1) reserve.renew();
  };
  lengthen();
  expect(lstatSync(`${files.journal}-wal`).size).toBeGreaterThan(400_000);
  expect([settingOf(db, "cache_size"), db.isTransaction]).toEqual([-4096, false]);
  const rival = connected("write");
  rival.exec("BEGIN IMMEDIATE");
  expect(lengthen).toThrow("locked");
  rival.exec("ROLLBACK");
  expect([settingOf(db, "cache_size"), db.isTransaction]).toEqual([-4096, false]);
});

test("a journal that was never begun is none, and is let go of", () => {
  mkdirSync(join(runsDirectory, "run-b"));
  const blank = filesUnder(runsDirectory, "run-b", "run-b");
  for (const mode of ["read", "write"] as const) expect(connect(blank, mode)).toBeUndefined();
  writeFileSync(blank.journal, "");
  for (const mode of ["read", "write"] as const) expect(connect(blank, mode)).toBeUndefined();
  expect(openFilesUnder(runsDirectory)).toEqual([]);
});
