import { execFileSync } from "node:child_process";
import {
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { readSignature } from "../../src/journal/run-files.ts";
import { openRunIndex } from "../../src/journal/run-index.ts";
import { owned } from "../../src/testing/journal-case.ts";
import { openFilesUnder } from "./open-files.ts";
import { createTemporaryStore } from "./temporary-store.ts";

const ENTRY = { run: "run-a", signature: "1", body: '{"a":1}' };

let store: RunStore;
let runsDirectory: string;
let cleanup: () => Promise<void>;
let path: string;
beforeEach(() => {
  ({ store, runsDirectory, cleanup } = createTemporaryStore());
  owned(store).journal.close();
  path = join(runsDirectory, "../index.db");
});
afterEach(() => cleanup());

function read(): readonly string[] | undefined {
  const index = openRunIndex(path);
  const keys = index && [...index.entries.keys()];
  index?.close();
  return keys;
}

function fill(...runs: readonly string[]): void {
  const index = openRunIndex(path);
  index?.update(
    runs.map((run) => ({ ...ENTRY, run })),
    [],
  );
  index?.close();
}

test("what was put into the index is there for the next process, and only for its owner", () => {
  fill("run-a", "run-b");
  const index = openRunIndex(path);
  expect(index?.entries.get("run-a")).toEqual(ENTRY);
  index?.update([{ ...ENTRY, signature: "2" }], ["run-b"]);
  index?.close();
  expect(openRunIndex(path)?.entries).toEqual(new Map([["run-a", { ...ENTRY, signature: "2" }]]));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ["is no database", () => writeFileSync(path, "hello")],
  ["is cut off", () => truncateSync(path, 1000)],
  ["is empty", () => truncateSync(path, 0)],
  ["has another form", () => change("CREATE TABLE more (x TEXT) STRICT")],
  ["is of a newer version", () => change("PRAGMA user_version = 9")],
  ["is of another application", () => change("PRAGMA application_id = 7")],
  ["has another table", () => change("DROP TABLE runs; CREATE TABLE runs (run TEXT) STRICT")],
  ["has an altered row", () => change(`UPDATE runs SET body = '{"a":2}'`)],
  ["has a row for another run", () => change("UPDATE runs SET run = 'run-c'")],
])("an index that %s is made anew without a word [T16]", (_what, damage) => {
  fill("run-a");
  damage();
  expect(read()).toEqual([]);
  expect(openFilesUnder(join(runsDirectory, ".."))).toEqual([]);
  fill("run-b");
  expect(read()).toEqual(["run-b"]);
});

test("every flipped bit of the index is harmless: an entry is right or gone [P7]", () => {
  fill("run-a", "run-b");
  const original = readFileSync(path);
  for (let index = 0; index < 100; index += 1) {
    const bytes = Buffer.from(original);
    const at = Math.floor((index * bytes.length) / 100);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (index % 8));
    writeFileSync(path, bytes);
    const found = openRunIndex(path);
    for (const [run, entry] of found?.entries ?? []) expect(entry).toEqual({ ...ENTRY, run });
    found?.close();
  }
});

test("an index that another process writes to is passed over, not destroyed", () => {
  fill("run-a");
  const other = new DatabaseSync(path);
  other.exec("BEGIN EXCLUSIVE");
  expect(openRunIndex(path)).toBeUndefined();
  other.exec("COMMIT");
  other.close();
  expect(read()).toEqual(["run-a"]);
});

test("an update that fails is as none, and keeps nobody from writing", () => {
  fill("run-a");
  const index = openRunIndex(path);
  const other = new DatabaseSync(path);
  other.exec("BEGIN EXCLUSIVE");
  index?.update([{ ...ENTRY, run: "run-b" }], ["run-a"]);
  other.exec("COMMIT; ALTER TABLE runs RENAME TO others");
  index?.update([{ ...ENTRY, run: "run-c" }], ["run-a"]);
  other.exec("ALTER TABLE others RENAME TO runs");
  index?.update([{ ...ENTRY, run: "run-d" }], []);
  other.close();
  index?.close();
  index?.close();
  index?.update([{ ...ENTRY, run: "run-e" }], []);
  const runs = new DatabaseSync(path);
  const rows = runs.prepare("SELECT run FROM runs").all();
  runs.close();
  expect(rows.map(({ run }) => run)).toEqual(["run-a", "run-d"]);
});

test("an update is made as a whole or not at all", () => {
  fill("run-a");
  const index = openRunIndex(path);
  change(`CREATE TRIGGER refuse BEFORE INSERT ON runs WHEN NEW.run = 'run-z'
    BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  index?.update(
    [
      { ...ENTRY, run: "run-b" },
      { ...ENTRY, run: "run-z" },
    ],
    ["run-a"],
  );
  change("DROP TRIGGER refuse");
  index?.update([{ ...ENTRY, run: "run-c" }], []);
  index?.close();
  expect(read()).toEqual(["run-a", "run-c"]);
});

test("an index of somebody else that a link leads to is neither read nor written [T16]", () => {
  fill("run-a");
  const elsewhere = join(runsDirectory, "elsewhere.db");
  renameSync(path, elsewhere);
  const before = readFileSync(elsewhere);
  symlinkSync(elsewhere, path);
  expect(openRunIndex(path)).toBeUndefined();
  expect(readFileSync(elsewhere)).toEqual(before);
});

test("two processes that fill the index at once leave one that both can read", () => {
  const [one, two] = [openRunIndex(path), openRunIndex(path)];
  one?.update([ENTRY], []);
  two?.update([{ ...ENTRY, run: "run-b" }], []);
  one?.close();
  two?.close();
  expect(read()).toEqual(["run-a", "run-b"]);
});

test("a link in the place of the index is not followed, and a missing directory is no error [T16]", () => {
  const elsewhere = join(runsDirectory, "elsewhere");
  writeFileSync(elsewhere, "precious");
  symlinkSync(elsewhere, path);
  expect(openRunIndex(path)).toBeUndefined();
  expect(readFileSync(elsewhere, "utf8")).toBe("precious");
  expect(openRunIndex(join(runsDirectory, "no/such/index.db"))).toBeUndefined();
});

test("the signature of a run changes with every write, also when size and time are put back [T16]", () => {
  const journal = join(runsDirectory, "run-a/journal.db");
  const before = readSignature(runsDirectory, "run-a");
  expect(readSignature(runsDirectory, "run-a")).toEqual(before);
  const stat = statSync(journal);
  passOneTick();
  const bytes = readFileSync(journal);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  writeFileSync(journal, bytes);
  utimesSync(journal, stat.atime, stat.mtime);
  expect(statSync(journal).size).toBe(stat.size);
  expect(readSignature(runsDirectory, "run-a")?.text).not.toBe(before?.text);
});

test("the signature of a run changes with its seal and with what its log holds [T16]", () => {
  const texts = new Set([readSignature(runsDirectory, "run-a")?.text]);
  for (const [file, text] of [
    ["journal.db-wal", "a"],
    ["journal.db-wal", "more"],
    ["journal.seal", ""],
    ["journal.seal", "a"],
    ["journal.seal", "more"],
  ] as const) {
    const path = join(runsDirectory, "run-a", file);
    passOneTick();
    writeFileSync(path, text);
    texts.add(readSignature(runsDirectory, "run-a")?.text);
  }
  // An empty file says nothing, as if there were none.
  expect(texts.size).toBe(5);
  const changedAtMs = Math.floor(statSync(join(runsDirectory, "run-a/journal.seal")).ctimeMs);
  expect(readSignature(runsDirectory, "run-a")?.changedAtMs).toBe(changedAtMs);
});

test("reading a run leaves its signature as it was", () => {
  const before = readSignature(runsDirectory, "run-a");
  const journal = store.open("run-a", "read");
  journal.lastSeq();
  journal.close();
  expect(readSignature(runsDirectory, "run-a")?.text).toBe(before?.text);
});

test("what is no run has no signature", () => {
  expect(readSignature(runsDirectory, "../run-a")).toBeUndefined();
  expect(readSignature(runsDirectory, "run-b")).toBeUndefined();
  rmSync(join(runsDirectory, "run-a/journal.db"));
  expect(readSignature(runsDirectory, "run-a")).toBeUndefined();
});

/** Times of files advance by a few milliseconds at once; the index leaves seconds. */
function passOneTick(): void {
  const untilMs = performance.now() + 20;
  while (performance.now() < untilMs);
}

function change(statement: string): void {
  const db = new DatabaseSync(path);
  db.exec(statement);
  db.close();
}

test.runIf(process.platform === "linux")(
  "an index that cannot be opened for lack of files is left as it is",
  () => {
    fill("run-a", "run-b");
    const program = join(import.meta.dirname, "short-of-files-program.ts");
    const args = ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, program, path];
    const known: unknown = JSON.parse(execFileSync("/bin/sh", args, { encoding: "utf8" }));
    expect(known).toEqual(Array.from({ length: 8 }, () => 2));
  },
);
