import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sha256 } from "../../../src/foundation/hash.ts";
import { IMPORT_PREFIX, RunImport } from "../../../src/journal/export/run-import.ts";
import { runFiles } from "../../../src/journal/run-files.ts";
import { readSeal } from "../../../src/journal/seal.ts";
import { claim, logs, RULES } from "../../../src/testing/journal-case.ts";
import { openFilesUnder } from "../open-files.ts";
import { createTemporaryStore, type TemporaryStore } from "../temporary-store.ts";

let temporary: TemporaryStore;

beforeEach(() => {
  temporary = createTemporaryStore();
  onTestFinished(() => temporary.cleanup());
  mkdirSync(temporary.runsDirectory);
});

function begin(run = "run-a"): RunImport {
  const arriving = new RunImport(temporary.runsDirectory, run);
  onTestFinished(() => arriving.discard());
  return arriving;
}

/** How its commits are kept, as the file says. */
function journalModeOf(run: string): unknown {
  const file = join(temporary.runsDirectory, run, "journal.db");
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare("PRAGMA journal_mode").get();
  } finally {
    db.close();
  }
}

const entries = () => readdirSync(temporary.runsDirectory);

test.each([0, 1, 999, 1000, 1001, 2500])(
  "a run of %d events is there once it is published, whole and sealed [P7]",
  (count) => {
    const arriving = begin();
    for (const event of logs(1, count)) arriving.addEvent(event);
    arriving.addText({ hash: sha256("a text"), text: "a text" });
    expect(arriving.text(sha256("a text"))).toBe("a text");
    expect(arriving.text(sha256("none"))).toBeUndefined();
    expect(temporary.store.list()).toEqual([]);
    expect(entries()).toEqual([expect.stringMatching(/^\.import-run-a-\d+-[0-9a-f]{8}$/)]);
    arriving.publish({ head: { at: count }, epoch: 7 });
    arriving.discard();
    expect([entries(), openFilesUnder(temporary.runsDirectory)]).toEqual([["run-a"], []]);
    expect(journalModeOf("run-a")).toEqual({ journal_mode: "wal" });
    const journal = temporary.store.open("run-a", "write");
    expect([...journal.read()]).toEqual(logs(1, count));
    expect([journal.head(), journal.blob(sha256("a text"))]).toEqual([{ at: count }, "a text"]);
    expect(journal.leaseHolder()).toBeUndefined();
    expect(journal.takeLease(claim({}), RULES)).toEqual({ status: "taken", epoch: 8 });
    journal.close();
    const files = runFiles(temporary.runsDirectory, "run-a");
    expect(files && readSeal(files)?.seq).toBe(count);
  },
);

test("what arrives is for its owner alone [T16]", () => {
  begin();
  const [name = ""] = entries();
  const modeOf = (...path: string[]) =>
    lstatSync(join(temporary.runsDirectory, name, ...path)).mode & 0o777;
  expect([modeOf(), modeOf("journal.db")]).toEqual([0o700, 0o600]);
});

test("an import that is given up leaves nothing behind, however often that is said", () => {
  const arriving = begin();
  arriving.addEvent(logs(1, 1)[0] ?? expect.unreachable());
  arriving.discard();
  arriving.discard();
  expect([entries(), openFilesUnder(temporary.runsDirectory)]).toEqual([[], []]);
});

test("events that leave a gap are refused, and nothing is left behind [P7]", () => {
  const arriving = begin();
  for (const event of [...logs(1, 1), ...logs(3, 3)]) arriving.addEvent(event);
  expect(() => arriving.publish({ head: null, epoch: 1 })).toThrow(
    expect.objectContaining({ code: "STORE_CORRUPT" }),
  );
  arriving.discard();
  expect(entries()).toEqual([]);
});

test("a run that is here, also one of which only the seal is left, is not imported [T16]", () => {
  const exists = expect.objectContaining({ code: "STORE_RUN_EXISTS", details: { run: "run-a" } });
  const directory = join(temporary.runsDirectory, "run-a");
  for (const file of ["journal.db", "journal.seal"]) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, file), "");
    expect(() => begin()).toThrow(exists);
    temporary.store.list();
    expect(entries()).toEqual(["run-a"]);
  }
});

test.each([
  ["a run", () => temporary.store.create("run-a").close()],
  ["a file", () => writeFileSync(join(temporary.runsDirectory, "run-a"), "mine")],
])("%s that has got the name meanwhile keeps it [T16]", (_what, make) => {
  const arriving = begin();
  arriving.addEvent(logs(1, 1)[0] ?? expect.unreachable());
  make();
  expect(() => arriving.publish({ head: null, epoch: 1 })).toThrow(
    expect.objectContaining({
      ...{ code: "STORE_RUN_EXISTS", details: { run: "run-a" }, cause: expect.any(Error) },
    }),
  );
  arriving.discard();
  expect(entries()).toEqual(["run-a"]);
});

test("a name that is no id, and a place where nothing can be written, are told [T16]", () => {
  expect(() => begin("../run-a")).toThrow(
    expect.objectContaining({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining("this is not an id for a run"),
    }),
  );
  expect(() => new RunImport(join(temporary.runsDirectory, "none"), "run-a")).toThrow(
    expect.objectContaining({ code: "STORE_UNWRITABLE" }),
  );
  const name = IMPORT_PREFIX;
  expect(entries().filter((entry) => entry.startsWith(name))).toEqual([]);
});
