import {
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { createSqliteStore, type SqliteStoreOptions } from "../../src/journal/sqlite-store.ts";
import { claim, logs, owned, RULES } from "../../src/testing/journal-case.ts";
import { journalConformance } from "../../src/testing/journal-conformance.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";
import { createEarlierStore } from "./earlier-formats.ts";
import { openFilesUnder } from "./open-files.ts";
import { createTemporaryStore, type TemporaryStore } from "./temporary-store.ts";

const made: TemporaryStore[] = [];

afterEach(async () => {
  for (const temporary of made.splice(0)) await temporary.cleanup();
});

function temporaryStore(options: SqliteStoreOptions = {}): TemporaryStore {
  const temporary = createTemporaryStore(options);
  made.push(temporary);
  return temporary;
}

describe("the SQLite store keeps the contract of a journal", () => {
  for (const { name, run } of journalConformance)
    test(name, () => run(async () => createTemporaryStore()));
});

describe.each([1, 2] as const)("a run of format %d goes on in its format", (format) => {
  for (const { name, run } of journalConformance)
    test(name, () => run(async () => createEarlierStore(format)));
});

describe("files", () => {
  test.runIf(isMainThread)(
    "a relative place is below the directory that the process was in",
    () => {
      const { runsDirectory } = temporaryStore();
      const root = dirname(runsDirectory);
      const before = process.cwd();
      process.chdir(root);
      const store = createSqliteStore("r");
      try {
        store.create("run-a").close();
      } finally {
        process.chdir(before);
      }
      expect(store.list()).toEqual(["run-a"]);
      expect(readdirSync(join(root, "r"))).toEqual(["run-a"]);
    },
  );

  // Only a process may set its umask, and changed code is tried in threads (npm run mutate).
  test.runIf(isMainThread)(
    "directories are for their owner alone, and so are files, whatever the umask [T16, T11]",
    async () => {
      // The directory of the test is made before: what nobody may enter or write holds nothing.
      const { store, runsDirectory } = temporaryStore();
      const umask = process.umask(0o277);
      try {
        const journal = store.create("run-a");
        journal.takeLease(claim({}), RULES);
        await journal.append({ epoch: 1, events: logs(1, 1) });
        journal.seal();
        const modeOf = (...path: string[]) => lstatSync(join(runsDirectory, ...path)).mode & 0o777;
        expect(modeOf()).toBe(0o700);
        expect(modeOf("run-a")).toBe(0o700);
        for (const file of ["journal.db", "journal.db-wal", "journal.db-shm", "journal.seal"])
          expect([file, modeOf("run-a", file)]).toEqual([file, 0o600]);
        journal.close();
      } finally {
        process.umask(umask);
      }
    },
  );

  test("the log is written ahead and every commit is synced [ENG-2]", () => {
    const { store, runsDirectory } = temporaryStore();
    store.create("run-a").close();
    const db = new DatabaseSync(join(runsDirectory, "run-a", "journal.db"));
    expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    db.close();
  });

  test("a link in place of a journal is not followed [T16]", () => {
    const { store, runsDirectory } = temporaryStore();
    store.create("run-a").close();
    mkdirSync(join(runsDirectory, "run-b"));
    symlinkSync("../run-a/journal.db", join(runsDirectory, "run-b", "journal.db"));
    for (const mode of ["read", "write"] as const)
      expect(() => store.open("run-b", mode)).toThrow(
        expect.objectContaining({
          code: "STORE_UNREADABLE",
          message: expect.stringContaining("not a plain file"),
        }),
      );
  });

  test("a creation that was cut off is not listed, not found, and may be repeated", () => {
    const { store, runsDirectory } = temporaryStore();
    mkdirSync(join(runsDirectory, "run-a"), { recursive: true });
    writeFileSync(join(runsDirectory, "run-a", "journal.db"), "");
    expect(store.list()).toEqual([]);
    expect(() => store.open("run-a", "write")).toThrow(
      expect.objectContaining({ code: "RUN_NOT_FOUND" }),
    );
    store.create("run-a").close();
    expect(store.list()).toEqual(["run-a"]);
  });

  test("the listing follows the time of creation, not the id", () => {
    const { store, runsDirectory } = temporaryStore();
    store.create("run-b").close();
    const bornAtMs = lstatSync(join(runsDirectory, "run-b", "journal.db")).birthtimeMs;
    // The file system's clock may tick every few milliseconds only.
    for (let index = 0, tickedMs = bornAtMs; tickedMs <= bornAtMs; index += 1) {
      const probe = join(runsDirectory, `.probe-${index}`);
      mkdirSync(probe);
      tickedMs = lstatSync(probe).birthtimeMs;
    }
    store.create("run-a").close();
    expect(store.list()).toEqual(["run-a", "run-b"]);
  });

  test("a runs' directory that lies deeper is made with all above it, for its owner alone", () => {
    const { runsDirectory } = temporaryStore();
    const deeper = join(runsDirectory, "a", "b");
    createSqliteStore(deeper).create("run-a").close();
    for (const directory of [deeper, join(deeper, "run-a")])
      expect([directory, lstatSync(directory).mode & 0o777]).toEqual([directory, 0o700]);
  });

  test("what is no run is neither listed nor there", () => {
    const { store, runsDirectory } = temporaryStore();
    store.create("run-a").close();
    writeFileSync(join(runsDirectory, "note.txt"), "mine");
    symlinkSync("note.txt", join(runsDirectory, "run-link"));
    symlinkSync("run-loop", join(runsDirectory, "run-loop"));
    mkdirSync(join(runsDirectory, "run-b"));
    mkdirSync(join(runsDirectory, ".hidden"));
    writeFileSync(join(runsDirectory, ".hidden", "journal.db"), "x");
    expect(store.list()).toEqual(["run-a"]);
    expect(["run-a", "run-b", "run-c", ".hidden", "../runs"].map((run) => store.has(run))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("an emptied journal of a run that was sealed is listed, so that it is missed [P7]", async () => {
    const { store, runsDirectory } = temporaryStore();
    const { journal } = owned(store);
    await journal.append({ epoch: 1, events: logs(1, 1) });
    journal.seal();
    journal.close();
    truncateSync(join(runsDirectory, "run-a", "journal.db"));
    expect(store.list()).toEqual(["run-a"]);
  });

  test("a removal that was cut off is made good by the next one", () => {
    const { store, runsDirectory } = temporaryStore();
    store.create("run-a").close();
    mkdirSync(join(runsDirectory, ".removed-run-a"));
    writeFileSync(join(runsDirectory, ".removed-run-a", "journal.db"), "x");
    store.remove("run-a");
    expect([store.list(), readdirSync(runsDirectory)]).toEqual([[], []]);
  });

  test("a run of a process that is gone may be removed", () => {
    const { store } = temporaryStore({ isGone: (holder) => holder.pid === 1 });
    const journal = store.create("run-a");
    journal.takeLease(claim({ pid: 1 }), RULES);
    journal.close();
    store.remove("run-a");
    expect(store.list()).toEqual([]);
  });
});

describe("a locked journal", () => {
  test("is tried again from timers, in the order of the appends [P6.busy]", async () => {
    const { journal, lock, clock } = lockable();
    const appended = [
      journal.append({ epoch: 1, events: logs(1, 2) }),
      journal.append({ epoch: 1, events: logs(3, 3) }),
    ];
    await clock.advance(1500);
    expect(journal.lastSeq()).toBe(0);
    lock.exec("ROLLBACK");
    // The lock is free now, but the first batches have not noticed yet.
    appended.push(journal.append({ epoch: 1, events: logs(4, 4) }));
    await clock.advance(100);
    await Promise.all(appended);
    expect([...journal.read()]).toEqual(logs(1, 4));
    expect(clock.timerCount).toBe(0);
    lock.close();
    journal.close();
  });

  test("is given up after two seconds, retryable, and nothing was appended [P6.busy, ENG-5]", async () => {
    const { journal, lock, clock } = lockable();
    const failed = expect(journal.append({ epoch: 1, events: logs(1, 2) })).rejects.toMatchObject({
      code: "STORE_BUSY",
      retryable: true,
    });
    await clock.advance(1990);
    expect(clock.timerCount).toBe(1);
    await clock.advance(100);
    await failed;
    lock.exec("ROLLBACK");
    await journal.append({ epoch: 1, events: logs(1, 1) });
    expect([...journal.read()]).toEqual(logs(1, 1));
    lock.close();
    journal.close();
  });

  test("is let go when the journal is closed, and no timer stays", async () => {
    const { journal, lock, clock } = lockable();
    const failed = expect(journal.append({ epoch: 1, events: logs(1, 1) })).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
    });
    journal.close();
    await failed;
    expect(clock.timerCount).toBe(0);
    lock.close();
  });

  test("is read all the same, owner and events", async () => {
    const { store, lock } = lockable();
    const reader = store.open("run-a", "read");
    expect(reader.leaseHolder()?.pid).toBe(1);
    expect([...reader.read()]).toEqual([]);
    const rival = store.open("run-a", "write");
    expect(() => rival.takeLease(claim({ nowMs: 10_000 }), RULES)).toThrow(
      expect.objectContaining({ code: "STORE_BUSY" }),
    );
    rival.close();
    reader.close();
    lock.close();
  });
});

describe("a follower", () => {
  test("gets a long run in parts of a thousand events", async () => {
    const { store, runsDirectory } = temporaryStore();
    const { journal } = owned(store);
    await journal.append({ epoch: 1, events: logs(1, 2001) });
    const follower = store.follow("run-a", 0);
    const { signal } = new AbortController();
    const sizes: number[] = [];
    for (let part = 0; part < 3; part += 1) sizes.push((await follower.next(signal)).length);
    expect(sizes).toEqual([1000, 1000, 1]);
    follower.close();
    journal.close();
    expect(openFilesUnder(runsDirectory)).toEqual([]);
  });

  test("looks again after each interval, and leaves no timer behind", async () => {
    const clock = createManualClock();
    const { store } = temporaryStore({ clock, pollMs: 50 });
    const { journal } = owned(store);
    const follower = store.follow("run-a", 0);
    const next = follower.next(new AbortController().signal);
    await clock.advance(49);
    await journal.append({ epoch: 1, events: logs(1, 2) });
    await clock.advance(1);
    expect(await next).toEqual(logs(1, 2));
    const waiting = follower.next(new AbortController().signal);
    follower.close();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.timerCount).toBe(0);
    journal.close();
  });
});

function lockable() {
  const clock = createManualClock();
  const { store, runsDirectory } = temporaryStore({ clock });
  const journal = store.create("run-a");
  journal.takeLease(claim({}), RULES);
  const lock = new DatabaseSync(join(runsDirectory, "run-a", "journal.db"));
  lock.exec("BEGIN IMMEDIATE");
  return { store, journal, lock, clock };
}
