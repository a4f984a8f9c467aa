import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AccountLedger, AccountRecord } from "../../src/contracts/accounts.ts";
import { openHostAccounts } from "../../src/host/host-accounts.ts";
import { OwnerBeats } from "../../src/host/owner-beats.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { currentProcessIdentity } from "../../src/host/system/process-identity.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-accounts-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const table = createProcessTable();
const pathOf = () => join(directory, "state", "host.db");
const open = () =>
  openHostAccounts({
    path: pathOf(),
    identity: currentProcessIdentity(table),
    table,
    beats: new OwnerBeats(),
  });
const PACE = { untilMs: 5000, sinceMs: 1000, strikes: 2, window: 4 };

const read = (accounts: AccountLedger, account = "lab") =>
  accounts.update(account, (record) => ({ record, result: record }));
const write = (accounts: AccountLedger, record: AccountRecord) =>
  accounts.update("lab", () => ({ record, result: null }));

test("runs of one user see the pace and the turns of an account, and not those of another one [LOOP-5]", () => {
  const [one, other] = [open(), open()];
  const record = { pace: PACE, turns: [{ id: "a", enteredMs: 2000 }] };
  write(one, record);
  expect(read(other)).toEqual(record);
  expect(read(other, "lab 2")).toEqual({ pace: undefined, turns: [] });
  write(other, { pace: undefined, turns: [] });
  expect(read(one)).toEqual({ pace: undefined, turns: [] });
  one.close();
  other.close();
});

test("a run that ends takes its own turns back, not those of another run of the same process [LOOP-5, DMN-1]", () => {
  const [ending, going] = [open(), open()];
  write(ending, { pace: PACE, turns: [{ id: "a", enteredMs: 1 }] });
  going.update("lab", ({ pace, turns }) => ({
    record: { pace, turns: [...turns, { id: "b", enteredMs: 2 }] },
    result: null,
  }));
  ending.close();
  ending.close();
  expect(read(going)).toEqual({ pace: PACE, turns: [{ id: "b", enteredMs: 2 }] });
  going.close();
});

test("turns of a killed process are gone, and what its provider said stays [LOOP-5, AGT-9]", async () => {
  const child = fork(new URL("./account-holder.ts", import.meta.url), [pathOf()], { execArgv: [] });
  await once(child, "message");
  const accounts = open();
  const before = read(accounts);
  expect(before.turns).toEqual([{ id: "theirs", enteredMs: 1 }]);
  write(accounts, { ...before, pace: PACE });
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  expect(read(accounts)).toEqual({ pace: PACE, turns: [] });
  accounts.close();
});

test("what nobody can read counts as nothing, and a change that fails changes nothing [LOOP-5]", () => {
  const accounts = open();
  write(accounts, { pace: PACE, turns: [{ id: "a", enteredMs: 1 }] });
  const broken = () => accounts.update("lab", () => expect.unreachable("on purpose"));
  expect(broken).toThrow("on purpose");
  expect(read(accounts).turns).toHaveLength(1);
  const database = new DatabaseSync(pathOf());
  for (const pace of ["{", '{"untilMs":"soon"}', "null"]) {
    database.prepare("UPDATE accounts SET pace = ?").run(pace);
    expect(read(accounts).pace).toBeUndefined();
  }
  database.close();
  accounts.close();
});
