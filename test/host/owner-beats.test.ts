import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { OwnerBeats } from "../../src/host/owner-beats.ts";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { claim, owned, RULES } from "../../src/testing/journal-case.ts";
import { openFilesUnder } from "../journal/open-files.ts";

function newRunsDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-beats-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function beatsIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith(".owner-"));
}

/** Which bytes the journal of a run has, its log included if there is one. */
function journalOf(directory: string, run: string): string {
  return ["journal.db", "journal.db-wal"]
    .map((file) => join(directory, run, file))
    .map((path) => (existsSync(path) ? readFileSync(path, "base64") : "none"))
    .join(" ");
}

test("renewals write one file for all runs of a process, and nothing into their journals [ENG-4]", async () => {
  const directory = newRunsDirectory();
  const beats = new OwnerBeats();
  const stores = [1, 2].map(() => createSqliteStore(directory, { beats }));
  const journals = stores.map((store, index) => {
    const journal = store.create(`run-${index}`);
    onTestFinished(() => journal.close());
    expect(journal.takeLease(claim({ pid: process.pid }), RULES)).toMatchObject({ epoch: 1 });
    return journal;
  });
  const bytes = () => [0, 1].map((index) => journalOf(directory, `run-${index}`));
  const renew = (nowMs: number) => {
    for (const each of journals) each.renewLease(1, nowMs);
  };
  const before = bytes();
  renew(3000);
  expect(bytes()).toEqual(before);
  renew(6000);
  // They come to rest here, which writes their logs back.
  const isWrittenBack = () => bytes().every((each) => each.endsWith(" none"));
  await expect.poll(isWrittenBack, { timeout: 15_000 }).toBe(true);
  const atRest = bytes();
  renew(9000);
  expect(bytes()).toEqual(atRest);
  expect(beatsIn(directory)).toHaveLength(1);
  const rival = createSqliteStore(directory).open("run-0", "write");
  onTestFinished(() => rival.close());
  const at = (nowMs: number) => rival.takeLease(claim({ pid: 2, nowMs }), RULES);
  expect(at(18_999)).toMatchObject({ status: "held", renewedAgoMs: 9999 });
  expect(at(19_000)).toEqual({ status: "taken", epoch: 2 });
  expect(() => journals[0]?.renewLease(1, 19_001)).toThrow("was taken over");
});

test("a run that was let go while its journal was locked is free, though its process keeps others", () => {
  const directory = newRunsDirectory();
  const store = createSqliteStore(directory);
  const { journal } = owned(store);
  const locker = new DatabaseSync(join(directory, "run-a", "journal.db"));
  onTestFinished(() => locker.close());
  locker.exec("BEGIN IMMEDIATE");
  expect(() => journal.releaseLease(1)).toThrow("locked");
  locker.exec("ROLLBACK");
  const rival = createSqliteStore(directory).open("run-a", "write");
  onTestFinished(() => rival.close());
  expect(rival.leaseHolder()).toBeUndefined();
  expect(rival.takeLease(claim({ pid: 2, nowMs: 1 }), RULES)).toEqual({
    status: "taken",
    epoch: 2,
  });
  expect(rival.leaseHolder()?.pid).toBe(2);
  expect(readdirSync(join(directory, "run-a")).some((name) => name.includes("let-go"))).toBe(false);
  journal.close();
});

test("the file of a process that is gone is removed by the next, that of one that lives is not", () => {
  const directory = newRunsDirectory();
  const owner = { pid: process.pid, startedAt: "1", bootId: "boot" };
  // No process has it: pids of Linux and macOS are smaller.
  const dead = ".owner-99999999-0123456789ab";
  const living = `.owner-${process.ppid}-0123456789ab`;
  const text = "0000000000000001 boot 1 -\n";
  for (const name of [dead, living, ".owner-x"]) writeFileSync(join(directory, name), text);
  new OwnerBeats().beat(directory, owner, 1);
  expect(beatsIn(directory)).not.toContain(dead);
  expect(beatsIn(directory)).toEqual(expect.arrayContaining([living, ".owner-x"]));
  expect(beatsIn(directory)).toHaveLength(3);
});

test("no link in the place of the file is followed, and what stands there otherwise says nothing [T8]", () => {
  const directory = newRunsDirectory();
  const owner = { pid: process.pid, startedAt: "1", bootId: "boot" };
  const beats = new OwnerBeats();
  beats.beat(directory, owner, 4000);
  const [name = ""] = beatsIn(directory);
  const path = join(directory, name);
  expect([lstatSync(path).mode & 0o777, beats.read(directory, owner)?.atMs]).toEqual([0o600, 4000]);
  rmSync(path);
  const precious = join(directory, "precious");
  writeFileSync(precious, "0000000000009999");
  symlinkSync(precious, path);
  expect(beats.read(directory, owner)?.atMs).toBeUndefined();
  beats.beat(directory, owner, 8000);
  expect(readFileSync(precious, "utf8")).toBe("0000000000009999");
  expect(beats.read(directory, owner)?.atMs).toBe(8000);
  rmSync(path);
  for (const text of ["", "12", "x".repeat(16)]) {
    writeFileSync(path, text);
    expect(beats.read(directory, owner)?.atMs).toBeUndefined();
  }
});

test("a process says that it is at work once a second, and again when the clock was set back", () => {
  const directory = newRunsDirectory();
  const beats = new OwnerBeats();
  const owner = { pid: process.pid, startedAt: "17", bootId: "boot-1" };
  const after = (nowMs: number) => {
    beats.beat(directory, owner, nowMs);
    return beats.read(directory, owner)?.atMs;
  };
  expect([5000, 5000, 5999, 6000, 6500, 7000.7, 900, 1899].map(after)).toEqual([
    5000, 5000, 5000, 6000, 6000, 7000, 900, 900,
  ]);
  expect(beats.read(directory, { ...owner, startedAt: "other" })).toBeUndefined();
  expect(openFilesUnder(directory)).toEqual([]);
});

test.each([
  { what: "another boot or pid namespace", line: "0000000000000001 elsewhere 1 b\n", stays: true },
  { what: "another host with the same boot", line: "0000000000000001 boot 1 b\n", stays: true },
  { what: "an older version", line: "0000000000000001", stays: true },
  { what: "this host", line: "0000000000000001 boot 1 a\n", stays: false },
])(
  "the file of $what goes only where its pid means something here: $stays [ENG-20.claims]",
  ({ line, stays }) => {
    const directory = newRunsDirectory();
    const file = ".owner-99999999-0123456789ab";
    writeFileSync(join(directory, file), line);
    const self = { pid: process.pid, startedAt: "1", bootId: "boot", host: "a" };
    new OwnerBeats().beat(directory, self, 1);
    expect(beatsIn(directory).includes(file)).toBe(stays);
    if (!stays) return;
    // Nobody that lives leaves its file as it is for days.
    utimesSync(join(directory, file), 1, 1);
    new OwnerBeats().beat(directory, self, 1);
    expect(beatsIn(directory)).not.toContain(file);
  },
);
