import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { TroupeError } from "../../src/foundation/errors.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
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
  return { store, path, change };
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
