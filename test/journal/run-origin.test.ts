import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { TroupeError } from "../../src/foundation/errors.ts";
import type { RunOrigins } from "../../src/journal/run-origin.ts";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { has } from "../machine.ts";
import { makeEarlierJournal } from "./earlier-formats.ts";
import { openFilesUnder } from "./open-files.ts";
import { createTemporaryStore, type TemporaryStore } from "./temporary-store.ts";

const made: TemporaryStore[] = [];

afterEach(async () => {
  for (const temporary of made.splice(0)) await temporary.cleanup();
});

/** Seals with a name in place of a key. */
function sealsOf(user: string): RunOrigins {
  const sign = (run: string, firstHash: string) => `${user} ${run} ${firstHash}`;
  return { sign, isSigned: (run, firstHash, seal) => seal === sign(run, firstHash) };
}

const nobody: RunOrigins = { sign: () => undefined, isSigned: () => false };

/** A run of two events that was made with these seals, and its files. */
async function runOf(origins: RunOrigins | undefined) {
  const temporary = createTemporaryStore(origins === undefined ? {} : { origins });
  made.push(temporary);
  const { store, runsDirectory } = temporary;
  const journal = store.create("run-a");
  journal.takeLease(claim({}), RULES);
  await journal.append({ epoch: 1, events: logs(1, 1) });
  await journal.append({ epoch: 1, events: logs(2, 2) });
  journal.seal();
  journal.releaseLease(1);
  journal.close();
  const directory = join(runsDirectory, "run-a");
  const path = (name: string) => join(directory, name);
  return { directory, path, runsDirectory };
}

/** Why the run is somebody else's for who has these seals; undefined if it is hers. */
function reasonFor(runsDirectory: string, origins: RunOrigins): string | undefined {
  const journal = createSqliteStore(runsDirectory, { origins }).open("run-a", "read");
  try {
    return journal.foreign();
  } finally {
    journal.close();
  }
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return "ok";
  } catch (error) {
    return error instanceof TroupeError ? error.code : String(error);
  }
}

const ann = sealsOf("ann");

test("a run goes on for who made it, and for nobody else, who may read it [SEC-2.sealed]", async () => {
  const { runsDirectory } = await runOf(ann);
  expect(reasonFor(runsDirectory, ann)).toBeUndefined();
  const bob = createSqliteStore(runsDirectory, { origins: sealsOf("bob") });
  expect(reasonFor(runsDirectory, sealsOf("bob"))).toBe(
    "its seal is not of your key, or is damaged",
  );
  expect(() => bob.open("run-a", "write")).toThrow(
    expect.objectContaining({
      code: "RUN_FOREIGN",
      details: { run: "run-a", reason: "its seal is not of your key, or is damaged" },
    }),
  );
  expect(openFilesUnder(runsDirectory)).toEqual([]);
  const read = bob.open("run-a", "read");
  expect([...read.read()]).toHaveLength(2);
  read.close();
  const mine = createSqliteStore(runsDirectory, { origins: ann }).open("run-a", "write");
  mine.close();
});

test.each([undefined, nobody])(
  "a run without a seal is nobody's until it is adopted [SEC-2.sealed]",
  async (origins) => {
    const { runsDirectory } = await runOf(origins);
    expect(reasonFor(runsDirectory, ann)).toMatch(/no seal of yours/);
    const store = createSqliteStore(runsDirectory, { origins: ann });
    store.adopt("run-a");
    expect(openFilesUnder(runsDirectory)).toEqual([]);
    expect(reasonFor(runsDirectory, ann)).toBeUndefined();
    const journal = store.open("run-a", "write");
    expect(journal.takeLease(claim({}), RULES)).toMatchObject({ status: "taken" });
    await journal.append({ epoch: 2, events: logs(3, 3) });
    journal.close();
    expect(reasonFor(runsDirectory, ann)).toBeUndefined();
  },
);

test("a run that somebody else has sealed is one's own once it is adopted", async () => {
  const { runsDirectory } = await runOf(sealsOf("bob"));
  createSqliteStore(runsDirectory, { origins: ann }).adopt("run-a");
  expect(reasonFor(runsDirectory, ann)).toBeUndefined();
  expect(reasonFor(runsDirectory, sealsOf("bob"))).toBe(
    "its seal is not of your key, or is damaged",
  );
});

test("a run that nobody can seal is not adopted", async () => {
  const { runsDirectory } = await runOf(sealsOf("bob"));
  const store = createSqliteStore(runsDirectory, { origins: nobody });
  expect(codeOf(() => store.adopt("run-a"))).toBe("RUN_FOREIGN");
  expect(openFilesUnder(runsDirectory)).toEqual([]);
  expect(reasonFor(runsDirectory, sealsOf("bob"))).toBeUndefined();
});

test("a run that has not begun is nobody's, so that its maker can begin it", () => {
  const temporary = createTemporaryStore({ origins: ann });
  made.push(temporary);
  temporary.store.create("run-a").close();
  expect(reasonFor(temporary.runsDirectory, ann)).toBeUndefined();
});

test("without seals every run is one's own", async () => {
  const { runsDirectory } = await runOf(ann);
  const journal = createSqliteStore(runsDirectory).open("run-a", "write");
  expect(journal.foreign()).toBeUndefined();
  journal.close();
});

test("a seal of another beginning, or one that was taken out, makes a run foreign [SEC-2.sealed, T16]", async () => {
  const { runsDirectory, path } = await runOf(ann);
  const change = (sql: string) => {
    const db = new DatabaseSync(path("journal.db"));
    db.exec(sql);
    db.close();
  };
  change("UPDATE origin SET seal = 'ann run-a 0'");
  expect(reasonFor(runsDirectory, ann)).toBe("its seal is not of your key, or is damaged");
  change("DELETE FROM origin");
  expect(reasonFor(runsDirectory, ann)).toMatch(/no seal of yours/);
});

test.each([
  { what: "directory", file: "", mode: 0o750, reason: "its directory is open to other users" },
  { what: "directory", file: "", mode: 0o701, reason: "its directory is open to other users" },
  {
    what: "journal",
    file: "journal.db",
    mode: 0o640,
    reason: "its journal is open to other users",
  },
  {
    what: "seal",
    file: "journal.seal",
    mode: 0o602,
    reason: "its journal.seal is open to other users",
  },
])(
  "a run whose $what others could have written is foreign, and closed to them when it is adopted [SEC-2.sealed, T16]",
  async ({ file, mode, reason }) => {
    const { runsDirectory, path } = await runOf(ann);
    chmodSync(path(file), mode);
    expect(reasonFor(runsDirectory, ann)).toBe(reason);
    createSqliteStore(runsDirectory, { origins: ann }).adopt("run-a");
    expect(lstatSync(path(file)).mode & 0o077).toBe(0);
    expect(reasonFor(runsDirectory, ann)).toBeUndefined();
  },
);

test("a seal that is no plain file is not believed, and none at all does no harm", async () => {
  const { runsDirectory, path } = await runOf(ann);
  const journal = createSqliteStore(runsDirectory, { origins: ann }).open("run-a", "read");
  renameSync(path("journal.seal"), path("elsewhere"));
  expect(journal.foreign()).toBeUndefined();
  symlinkSync(path("elsewhere"), path("journal.seal"));
  expect(journal.foreign()).toBe("its journal.seal is no plain file");
  rmSync(path("journal.seal"));
  mkdirSync(path("journal.seal"));
  expect(journal.foreign()).toBe("its journal.seal is no plain file");
  journal.close();
});

test("a directory that a link or nothing has taken the place of is not believed", async () => {
  const { runsDirectory, directory } = await runOf(ann);
  const journal = createSqliteStore(runsDirectory, { origins: ann }).open("run-a", "read");
  renameSync(directory, `${directory}-moved`);
  expect(journal.foreign()).toBe("its directory is a link");
  symlinkSync(`${directory}-moved`, directory);
  expect(journal.foreign()).toBe("its directory is a link");
  journal.close();
});

test.runIf(has("root"))(
  "what belongs to another user is not believed [SEC-2.sealed, T16]",
  async () => {
    const { runsDirectory, path } = await runOf(ann);
    for (const [file, reason] of [
      ["journal.seal", "its journal.seal belongs to another user"],
      ["journal.db", "its journal belongs to another user"],
      ["", "its directory belongs to another user"],
    ] as const) {
      chownSync(path(file), 65534, 65534);
      expect(reasonFor(runsDirectory, ann)).toBe(reason);
    }
  },
);

test("a run of the first format, which had no seals, has one once it is adopted [ENG-16]", async () => {
  const temporary = createTemporaryStore({ origins: ann });
  made.push(temporary);
  const { store, runsDirectory } = temporary;
  makeEarlierJournal(join(runsDirectory, "run-a"), 1);
  const journal = createSqliteStore(runsDirectory).open("run-a", "write");
  journal.takeLease(claim({}), RULES);
  await journal.append({ epoch: 1, events: logs(1, 1) });
  journal.releaseLease(1);
  journal.close();
  expect(reasonFor(runsDirectory, ann)).toMatch(/no seal of yours/);
  store.adopt("run-a");
  expect(reasonFor(runsDirectory, ann)).toBeUndefined();
});

test("a run that has an owner, or is none, is not adopted", async () => {
  const { runsDirectory } = await runOf(sealsOf("bob"));
  const owned = createSqliteStore(runsDirectory).open("run-a", "write");
  owned.takeLease(claim({}), RULES);
  const store = createSqliteStore(runsDirectory, { origins: ann });
  expect(codeOf(() => store.adopt("run-a"))).toBe("RUN_OWNED");
  expect(codeOf(() => store.adopt("run-b"))).toBe("RUN_NOT_FOUND");
  expect(codeOf(() => store.adopt("../run-a"))).toBe("RUN_NOT_FOUND");
  expect(codeOf(() => store.remove("../run-a"))).toBe("RUN_NOT_FOUND");
  owned.close();
  expect(openFilesUnder(runsDirectory)).toEqual([]);
  const later = createSqliteStore(runsDirectory, { origins: ann, isGone: () => true });
  later.adopt("run-a");
  expect(reasonFor(runsDirectory, ann)).toBeUndefined();
});
