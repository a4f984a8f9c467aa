import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { sha256 } from "../../src/foundation/hash.ts";
import { claim, RULES } from "../../src/testing/journal-case.ts";
import { BLOB, createDamagedRuns, EVENTS, FILES } from "./damaged-runs.ts";

const { store, path, damagedRun, readAll, cleanup } = await createDamagedRuns();
afterAll(cleanup);

describe("a journal changed by hand", () => {
  const cases: readonly (readonly [what: string, sql: string, firstBadSeq: number])[] = [
    ["a changed body", "UPDATE events SET body = replace(body, 'line', 'lime') WHERE seq = 20", 20],
    ["a changed time", "UPDATE events SET at = at + 1 WHERE seq = 20", 20],
    ["a changed type", "UPDATE events SET type = 'step-started' WHERE seq = 20", 20],
    ["a time beyond all numbers", "UPDATE events SET at = 9223372036854775807 WHERE seq = 20", 1],
    ["a changed hash", `UPDATE events SET hash = '${sha256("x")}' WHERE seq = 20`, 20],
    ["a removed event", "DELETE FROM events WHERE seq = 20", 20],
    ["a removed first event", "DELETE FROM events WHERE seq = 1", 1],
    [
      "two swapped events",
      `UPDATE events SET seq = -1 WHERE seq = 20; UPDATE events SET seq = 20 WHERE seq = 30;
       UPDATE events SET seq = 30 WHERE seq = -1`,
      20,
    ],
    ["an event before the first", "UPDATE events SET seq = 0 WHERE seq = 1", 1],
  ];
  for (const [what, sql, firstBadSeq] of cases)
    test(`${what} is STORE_CORRUPT with the first bad event [ENG-5, T16]`, () => {
      const run = damagedRun("settled");
      alter(run, sql);
      const reading = readAll(run, "read");
      expect(reading.error).toMatchObject({
        code: "STORE_CORRUPT",
        details: { run, firstBadSeq, intactUpTo: firstBadSeq - 1 },
      });
      expect(reading.events).toEqual(EVENTS.slice(0, firstBadSeq === 1 ? 0 : firstBadSeq - 1));
    });

  test("damage is found when reading starts behind the beginning", () => {
    const run = damagedRun("settled");
    alter(run, "UPDATE events SET body = '{}' WHERE seq = 20; DELETE FROM events WHERE seq = 50");
    const journal = store.open(run, "read");
    const corruptAt = (firstBadSeq: number) =>
      expect.objectContaining({
        code: "STORE_CORRUPT",
        details: expect.objectContaining({ firstBadSeq }),
      });
    expect(() => [...journal.read(19)]).toThrow(corruptAt(20));
    expect(() => [...journal.read(20)]).toThrow(corruptAt(50));
    expect(() => [...journal.read(50)]).toThrow(corruptAt(50));
    expect([...journal.read(51)]).toEqual(EVENTS.slice(51));
    journal.close();
  });

  test("a rewritten history with right hashes is found out by the seal [T16]", () => {
    const run = damagedRun("settled");
    const other = damagedRun("settled", (directory) => {
      for (const file of FILES) rmSync(join(directory, file), { force: true });
    });
    const forged = store.create(other);
    forged.takeLease(claim({}), RULES);
    const events = EVENTS.map((event) => ({ ...event, at: event.at + 1 }));
    return forged.append({ epoch: 1, events }).then(() => {
      forged.close();
      copyFileSync(path(other, "journal.db"), path(run, "journal.db"));
      expect(readAll(run, "read").code).toBe("STORE_CORRUPT");
    });
  });

  for (const [what, sql] of [
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM blobs; END"],
    ["a view in place of a table", "DROP TABLE head; CREATE VIEW head AS SELECT 1 AS id"],
    ["a missing table", "DROP TABLE lease"],
    ["another kind of file", "PRAGMA application_id = 7"],
  ] as const)
    test(`${what} is refused before anything is read [T16]`, () => {
      const run = damagedRun("settled");
      alter(run, sql);
      for (const mode of ["read", "write"] as const)
        expect(readAll(run, mode)).toMatchObject({ events: [], code: "STORE_CORRUPT" });
    });

  test("a changed head or blob is not handed out [ENG-5]", () => {
    const run = damagedRun("settled");
    alter(run, `UPDATE head SET body = '{"state":"done"}'; UPDATE blobs SET body = 'x'`);
    const journal = store.open(run, "read");
    const corrupt = expect.objectContaining({ code: "STORE_CORRUPT" });
    expect(() => journal.head()).toThrow(corrupt);
    expect(() => journal.blob(sha256(BLOB))).toThrow(corrupt);
    journal.close();
  });

  test("a text stored under a hash that is not its own is refused", async () => {
    const run = damagedRun("settled");
    const journal = store.open(run, "write");
    await expect(
      journal.append({ epoch: 1, events: [], blobs: { [sha256("a")]: "b" } }),
    ).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    journal.close();
  });

  test("a file that is no database is STORE_CORRUPT", () => {
    const run = damagedRun("settled", (directory) =>
      writeFileSync(join(directory, "journal.db"), "hello ".repeat(2000)),
    );
    expect(readAll(run, "read").code).toBe("STORE_CORRUPT");
  });

  test("a damaged run harms no other and can be removed", () => {
    const run = damagedRun("settled");
    alter(run, "DELETE FROM events");
    expect(readAll("settled", "read").events).toEqual(EVENTS);
    store.remove(run);
    expect(store.list()).not.toContain(run);
  });
});

describe("a newer format", () => {
  for (const [what, sql, found, known] of [
    ["journal", "PRAGMA user_version = 3", 3, 2],
    ["event", "UPDATE meta SET event_format = 2", 2, 1],
  ] as const)
    test(`of the ${what} is refused with both versions [ENG-16, P21]`, () => {
      const run = damagedRun("settled");
      alter(run, sql);
      for (const mode of ["read", "write"] as const)
        expect(readAll(run, mode).error).toMatchObject({
          code: "STORE_FORMAT_UNKNOWN",
          message: `run "${run}" (runs/${run}/journal.db) has ${what} format ${found}; this troupe knows ${known}`,
        });
      expect(() => store.remove(run)).toThrow(
        expect.objectContaining({ code: "STORE_FORMAT_UNKNOWN" }),
      );
    });

  test("of the seal is refused with both versions [ENG-16]", () => {
    const run = damagedRun("settled", (directory) => {
      const text = readFileSync(join(directory, "journal.seal"), "utf8");
      writeFileSync(join(directory, "journal.seal"), text.replace('"format":1', '"format":2'));
    });
    expect(readAll(run, "read").code).toBe("STORE_FORMAT_UNKNOWN");
  });
});

function alter(run: string, sql: string): void {
  const db = new DatabaseSync(path(run, "journal.db"));
  db.exec(sql);
  db.close();
}
