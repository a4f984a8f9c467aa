import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { TroupeError } from "../../src/foundation/errors.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { openFilesUnder } from "./open-files.ts";
import { createTemporaryStore, type TemporaryStore } from "./temporary-store.ts";

const made: TemporaryStore[] = [];

afterEach(async () => {
  for (const temporary of made.splice(0)) await temporary.cleanup();
});

/** A sealed run of three events that process 1 owns, and its files. */
async function ownedRun() {
  const temporary = createTemporaryStore();
  made.push(temporary);
  const { store, runsDirectory } = temporary;
  const journal = store.create("run-a");
  journal.takeLease(claim({}), RULES);
  await journal.append({ epoch: 1, events: logs(1, 3) });
  journal.seal();
  journal.close();
  const path = (name: string) => join(runsDirectory, "run-a", name);
  const change = (sql: string) => {
    const db = new DatabaseSync(path("journal.db"));
    db.exec(sql);
    db.close();
  };
  return { store, runsDirectory, path, change };
}

function problemOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return error instanceof TroupeError ? `${error.code}: ${error.message}` : String(error);
  }
}

test.each([
  ...["boot_id", "command", "pid_started_at", "socket_path", "renewed_at_ms"].map(
    (column) => `UPDATE lease SET ${column} = NULL`,
  ),
  "DELETE FROM lease",
])("a lease that cannot be read is damage, and nobody takes it: %s [ENG-5]", async (sql) => {
  const { store, change } = await ownedRun();
  change(sql);
  const journal = store.open("run-a", "write");
  const damage = /^STORE_CORRUPT: .*run-a.*its lease cannot be read/s;
  expect(problemOf(() => journal.leaseHolder())).toMatch(damage);
  expect(problemOf(() => journal.takeLease(claim({ pid: 2 }), RULES))).toMatch(damage);
  journal.close();
});

test("who has lost a lease is told which epoch holds it now [ENG-4]", async () => {
  const { store } = await ownedRun();
  const journal = store.open("run-a", "write");
  journal.takeLease(claim({ pid: 2, nowMs: 20_000 }), RULES);
  expect(problemOf(() => journal.renewLease(1, 20_001))).toMatch(
    /^ENGINE_LEASE_LOST: .*run-a.*epoch 1.*at 2/,
  );
  journal.close();
});

test.each([
  { name: "is no JSON", change: () => "{" },
  { name: "is no object", change: () => "[]" },
  { name: "has no format", change: (seal: object) => JSON.stringify({ ...seal, format: null }) },
  { name: "has no event", change: (seal: object) => JSON.stringify({ ...seal, seq: "3" }) },
  { name: "has no hash", change: (seal: object) => JSON.stringify({ ...seal, hash: 3 }) },
])("a seal that $name is damage [ENG-5]", async ({ change }) => {
  const { store, path } = await ownedRun();
  writeFileSync(
    path("journal.seal"),
    change(JSON.parse(readFileSync(path("journal.seal"), "utf8"))),
  );
  expect(problemOf(() => store.open("run-a", "read"))).toMatch(
    /^STORE_CORRUPT: .*run-a.*its seal \(journal\.seal\) cannot be read/s,
  );
});

test("a seal of a later format is refused by its name [ENG-16]", async () => {
  const { store, path } = await ownedRun();
  const text = readFileSync(path("journal.seal"), "utf8");
  writeFileSync(path("journal.seal"), text.replace('"format":1', '"format":2'));
  expect(problemOf(() => store.open("run-a", "read"))).toMatch(
    /^STORE_FORMAT_UNKNOWN: .*run-a.*has seal format 2; this troupe knows 1/,
  );
});

test("a seal that is there and cannot be read is not taken for none", async () => {
  const { store, path } = await ownedRun();
  rmSync(path("journal.seal"));
  mkdirSync(path("journal.seal"));
  expect(problemOf(() => store.open("run-a", "read"))).toMatch(/^STORE_UNREADABLE/);
});

test("what a seal says was written and is gone is named [ENG-5]", async () => {
  const { store, path, change } = await ownedRun();
  const seal = JSON.parse(readFileSync(path("journal.seal"), "utf8"));
  writeFileSync(path("journal.seal"), JSON.stringify({ ...seal, seq: 5 }));
  expect(problemOf(() => store.open("run-a", "read"))).toMatch(
    /^STORE_CORRUPT: .*events 4 to 5 are missing/s,
  );
  change("DELETE FROM batches");
  expect(problemOf(() => store.open("run-a", "read"))).toMatch(/events 1 to 5 are missing/);
});

test("a journal that was emptied is not taken for one that was never begun [P7]", async () => {
  const { store, path } = await ownedRun();
  truncateSync(path("journal.db"), 0);
  rmSync(path("journal.db-wal"), { force: true });
  for (const mode of ["read", "write"] as const)
    expect(problemOf(() => store.open("run-a", mode))).toMatch(
      /^STORE_CORRUPT: .*events 1 to 3 are missing/s,
    );
});

test.each([
  "UPDATE head SET body = '{}'",
  "UPDATE head SET body = NULL",
  "UPDATE head SET hash = NULL",
  "DELETE FROM head",
])("a head that is not what was written is damage, not none: %s [ENG-5]", async (sql) => {
  const { store, change } = await ownedRun();
  const journal = store.open("run-a", "write");
  expect(journal.head()).toBeUndefined();
  await journal.append({ epoch: 1, events: logs(4, 4), head: { at: 4 } });
  journal.close();
  change(sql);
  const damaged = store.open("run-a", "read");
  expect(problemOf(() => damaged.head())).toMatch(
    /^STORE_CORRUPT: .*run-a.*its head does not match its hash/s,
  );
  damaged.close();
});

test("a text under a damaged key is missed, whichever text is asked for [ENG-5]", async () => {
  const { store, change } = await ownedRun();
  const journal = store.open("run-a", "write");
  const blobs = { [sha256("one")]: "one", [sha256("two")]: "two" };
  await journal.append({ epoch: 1, events: logs(4, 4), blobs });
  journal.close();
  change(`UPDATE texts SET hash = '${sha256("three")}' WHERE hash = '${sha256("two")}'`);
  const damaged = store.open("run-a", "read");
  expect(damaged.blob(sha256("one"))).toBe("one");
  const damage = /^STORE_CORRUPT: .*its blob \w+ does not match its hash/s;
  for (const text of ["two", "three", "four"])
    expect(problemOf(() => damaged.blob(sha256(text)))).toMatch(damage);
  damaged.close();
});

test.each([
  ["PRAGMA application_id = 7", /^STORE_CORRUPT: .*run-a.*it is not a journal/s],
  ["CREATE TABLE more (x TEXT)", /^STORE_CORRUPT: .*its tables are not those of format 3/s],
  ["ALTER TABLE meta ADD COLUMN more TEXT", /^STORE_CORRUPT: .*its tables are not those/s],
  ["DROP TABLE texts", /^STORE_CORRUPT: .*its tables are not those of format 3/s],
  ["DROP TABLE origin", /^STORE_CORRUPT: .*its tables are not those of format 3/s],
  ["DELETE FROM meta", /^STORE_CORRUPT: .*the format of its events is missing/s],
  ["PRAGMA user_version = 0", /^STORE_FORMAT_UNKNOWN: .*journal format 0; this troupe knows 3/],
  ["PRAGMA user_version = 4", /^STORE_FORMAT_UNKNOWN: .*journal format 4; this troupe knows 3/],
  ["UPDATE meta SET event_format = 0", /^STORE_FORMAT_UNKNOWN: .*event format 0;/],
  ["DELETE FROM batches", /^STORE_CORRUPT: .*events 1 to 3 are missing/s],
])("a journal that is refused is let go of at once: %s [T16]", async (sql, problem) => {
  const { store, runsDirectory, change } = await ownedRun();
  change(sql);
  for (const mode of ["read", "write"] as const)
    expect(problemOf(() => store.open("run-a", mode))).toMatch(problem);
  expect(openFilesUnder(runsDirectory)).toEqual([]);
});

test.each([
  ["another application", "PRAGMA application_id = 7"],
  ["a version", "PRAGMA user_version = 9"],
  ["a table", "CREATE TABLE mine (x TEXT)"],
])("a run is not created over a database with %s", (_what, sql) => {
  const temporary = createTemporaryStore();
  made.push(temporary);
  const { store, runsDirectory } = temporary;
  mkdirSync(join(runsDirectory, "run-a"), { recursive: true });
  const file = join(runsDirectory, "run-a", "journal.db");
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
  const before = readFileSync(file);
  expect(problemOf(() => store.create("run-a"))).toMatch(/^STORE_RUN_EXISTS: .*run-a/);
  expect(readFileSync(file)).toEqual(before);
  expect(openFilesUnder(runsDirectory)).toEqual([]);
});

test("a run of which only the seal is left is not created again [P7]", async () => {
  const { store, path } = await ownedRun();
  rmSync(path("journal.db"));
  expect(problemOf(() => store.create("run-a"))).toMatch(/^STORE_RUN_EXISTS: .*run-a/);
  expect(store.list()).toEqual([]);
});

test("a link in place of the directory of a run is not followed [T16]", async () => {
  const { store, path, runsDirectory } = await ownedRun();
  renameSync(path("."), join(runsDirectory, "..", "elsewhere"));
  symlinkSync("../elsewhere", join(runsDirectory, "run-a"));
  for (const mode of ["read", "write"] as const)
    expect(problemOf(() => store.open("run-a", mode))).toMatch(
      /^STORE_UNREADABLE: .*the directory of the run is a link/s,
    );
});
