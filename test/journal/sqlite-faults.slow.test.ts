import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { has } from "../machine.ts";
import { createTemporaryStore } from "./temporary-store.ts";

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

/** A file system of its own, of a size, that can be made read-only. */
function mountSmallDisk(size: string) {
  const directory = mkdtempSync(join(tmpdir(), "disk-"));
  const run = (command: string, args: readonly string[]) => {
    const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  };
  run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=700`, "tmpfs", directory]);
  cleanups.push(() => {
    run("umount", [directory]);
    rmSync(directory, { recursive: true });
  });
  return {
    directory,
    runsDirectory: join(directory, "runs"),
    makeReadOnly: () => run("mount", ["-o", "remount,ro", directory]),
  };
}

describe.runIf(has("the right to mount"))("on a disk of its own (needs the right to mount)", () => {
  test("a full disk is STORE_FULL, loses nothing acknowledged, and needs no repair [ENG-5, P6.full]", async () => {
    const { directory, runsDirectory } = mountSmallDisk("2m");
    const store = createSqliteStore(runsDirectory);
    const journal = store.create("run-a");
    journal.takeLease(claim({}), RULES);
    const filler = join(directory, "filler");
    writeFileSync(filler, "x".repeat(1_200_000));
    let acknowledged = 0;
    const fill = async () => {
      for (;;) {
        await journal.append({ epoch: 1, events: logs(acknowledged + 1, acknowledged + 100) });
        acknowledged += 100;
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "STORE_FULL", retryable: false });
    expect(acknowledged).toBeGreaterThan(0);
    expect([...journal.read()]).toEqual(logs(1, acknowledged));
    rmSync(filler);
    await journal.append({ epoch: 1, events: logs(acknowledged + 1, acknowledged + 1) });
    journal.seal();
    journal.close();
    const later = store.open("run-a", "write");
    expect([...later.read()]).toEqual(logs(1, acknowledged + 1));
    later.close();
  });

  test("creating and sealing on a full disk is STORE_FULL [ENG-5, P6.full]", async () => {
    const { directory, runsDirectory } = mountSmallDisk("1m");
    const store = createSqliteStore(runsDirectory);
    const journal = store.create("run-a");
    journal.takeLease(claim({}), RULES);
    await journal.append({ epoch: 1, events: logs(1, 1) });
    expect(() => writeFileSync(join(directory, "filler"), "x".repeat(2_000_000))).toThrow(/ENOSPC/);
    const full = expect.objectContaining({ code: "STORE_FULL" });
    expect(() => store.create("run-b")).toThrow(full);
    expect(() => journal.seal()).toThrow(full);
    rmSync(join(directory, "filler"));
    journal.seal();
    journal.close();
    expect(store.list()).toEqual(["run-a"]);
    store.create("run-b").close();
  });

  test("a read-only disk can be read and refuses to be written [ENG-5, P6.read-only]", async () => {
    const { runsDirectory, makeReadOnly } = mountSmallDisk("2m");
    const store = createSqliteStore(runsDirectory);
    const journal = store.create("run-a");
    journal.takeLease(claim({}), RULES);
    await journal.append({ epoch: 1, events: logs(1, 20) });
    journal.seal();
    journal.close();
    // What a reader leaves behind when it ends: a log without a single byte.
    writeFileSync(join(runsDirectory, "run-a", "journal.db-wal"), "");
    makeReadOnly();
    const reader = store.open("run-a", "read");
    expect([...reader.read()]).toEqual(logs(1, 20));
    reader.close();
    const unwritable = expect.objectContaining({ code: "STORE_UNWRITABLE" });
    expect(() => store.create("run-b")).toThrow(unwritable);
    expect(() => {
      const writer = store.open("run-a", "write");
      cleanups.push(() => writer.close());
      writer.takeLease(claim({ bootId: "boot-2" }), RULES);
    }).toThrow(unwritable);
    expect(() => store.remove("run-a")).toThrow(expect.objectContaining({ code: "RUN_OWNED" }));
  });

  test("a log without shared memory on a read-only disk is STORE_UNREADABLE, not half a run [P6.read-only]", async () => {
    const { runsDirectory, makeReadOnly } = mountSmallDisk("2m");
    const { store: original, runsDirectory: originals, cleanup } = createTemporaryStore();
    const journal = original.create("run-a");
    journal.takeLease(claim({}), RULES);
    await journal.append({ epoch: 1, events: logs(1, 20) });
    mkdirSync(join(runsDirectory, "run-a"), { recursive: true });
    for (const file of ["journal.db", "journal.db-wal"])
      cpSync(join(originals, "run-a", file), join(runsDirectory, "run-a", file));
    journal.close();
    await cleanup();
    makeReadOnly();
    expect(() => createSqliteStore(runsDirectory).open("run-a", "read")).toThrow(
      expect.objectContaining({ code: "STORE_UNREADABLE" }),
    );
  });
});

test("a runs' directory that is a file refuses every call with a code [ENG-5]", async () => {
  const { runsDirectory, store, cleanup } = createTemporaryStore();
  writeFileSync(runsDirectory, "not a directory");
  const unwritable = { code: "STORE_UNWRITABLE", message: expect.not.stringContaining(tmpdir()) };
  expect(() => store.create("run-a")).toThrow(expect.objectContaining(unwritable));
  const unreadable = expect.objectContaining({ code: "STORE_UNREADABLE" });
  expect(() => store.open("run-a", "read")).toThrow(unreadable);
  expect(() => store.list()).toThrow(unreadable);
  expect(() => store.list()).toThrow('cannot read the journal of run "*" (runs)');
  expect(store.has("run-a")).toBe(false);
  await cleanup();
});
