import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { sha256 } from "../../src/foundation/hash.ts";
import { claim, log, RULES } from "../../src/testing/journal-case.ts";
import { BLOB, createDamagedRuns, type DamagedRuns, EVENTS, FILES } from "./damaged-runs.ts";

const { store, path, damagedRun, readAll, cleanup } = await createDamagedRuns();
const earlier = await createDamagedRuns(2);
afterAll(async () => {
  await cleanup();
  await earlier.cleanup();
});

type Case = readonly [what: string, sql: string, firstBadSeq: number];

/** What holds of a changed journal in every format. */
function tampering(
  runs: DamagedRuns,
  cases: readonly Case[],
  [first, second]: readonly [number, number],
): void {
  for (const [what, sql, firstBadSeq] of cases)
    test(`${what} is STORE_CORRUPT with the first bad event [ENG-5, T16]`, () => {
      const run = runs.damagedRun("settled");
      alter(runs, run, sql);
      const reading = runs.readAll(run, "read");
      expect(reading.error).toMatchObject({
        code: "STORE_CORRUPT",
        details: { run, firstBadSeq, intactUpTo: firstBadSeq - 1 },
      });
      expect(reading.events).toEqual(EVENTS.slice(0, firstBadSeq === 1 ? 0 : firstBadSeq - 1));
    });

  test("an event that leaves a gap is refused with the place where it would belong", async () => {
    const journal = runs.store.open(runs.damagedRun("settled"), "write");
    await expect(journal.append({ epoch: 1, events: [log(61), log(63)] })).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      details: { firstBadSeq: 62, intactUpTo: 61 },
    });
    expect(journal.lastSeq()).toBe(60);
    journal.close();
  });

  test("damage is found when reading starts behind the beginning", () => {
    const run = runs.damagedRun("settled");
    const [body, removed] = cases;
    alter(runs, run, `${body?.[1]}; ${removed?.[1].replace("= 20", "= 50")}`);
    const journal = runs.store.open(run, "read");
    const corruptAt = (firstBadSeq: number) =>
      expect.objectContaining({
        code: "STORE_CORRUPT",
        details: expect.objectContaining({ firstBadSeq }),
      });
    expect(() => [...journal.read(19)]).toThrow(corruptAt(first));
    expect(() => [...journal.read(20)]).toThrow(corruptAt(second));
    expect(() => [...journal.read(49)]).toThrow(corruptAt(second));
    expect([...journal.read(55)]).toEqual(EVENTS.slice(55));
    journal.close();
  });
}

// Five events were committed together each time: those of a row are intact together, or none is.
describe("a journal changed by hand", () => {
  const cases: readonly Case[] = [
    [
      "a changed body",
      "UPDATE batches SET body = replace(body, 'line', 'lime') WHERE seq = 20",
      16,
    ],
    ["a removed row", "DELETE FROM batches WHERE seq = 20", 16],
    ["a body of another type", "UPDATE batches SET body = 7 WHERE seq = 20", 16],
    ["bytes for a text", "UPDATE batches SET body = CAST(body AS BLOB) WHERE seq = 20", 16],
    ["a changed hash", `UPDATE batches SET hash = '${sha256("x")}' WHERE seq = 20`, 16],
    ["a removed first row", "DELETE FROM batches WHERE seq = 5", 1],
    [
      "two swapped rows",
      `UPDATE batches SET seq = -1 WHERE seq = 20; UPDATE batches SET seq = 20 WHERE seq = 30;
       UPDATE batches SET seq = 30 WHERE seq = -1`,
      16,
    ],
    ["a row before the first", "UPDATE batches SET seq = 0 WHERE seq = 5", 1],
    ["a row that ends later", "UPDATE batches SET seq = 21 WHERE seq = 20", 16],
  ];
  tampering({ store, path, damagedRun, readAll, cleanup }, cases, [16, 46]);

  test("a right hash over what nobody has written is found out [T16]", () => {
    for (const body of ["{}", "[1]", "[[]]", '[{"seq":16,"at":1,"type":"log"}]', "["]) {
      const run = damagedRun("settled");
      const db = new DatabaseSync(path(run, "journal.db"));
      const { hash } = db.prepare("SELECT hash FROM batches WHERE seq = 15").get() ?? {};
      db.prepare("UPDATE batches SET body = ?, hash = ? WHERE seq = 20").run(
        body,
        sha256(`${hash} 20 ${body}`),
      );
      db.close();
      expect(readAll(run, "read").error).toMatchObject({
        code: "STORE_CORRUPT",
        details: { firstBadSeq: 16 },
      });
    }
  });

  test("a long text of an event is kept once, and missed when it is changed or gone [ENG-5, T16]", async () => {
    const long = "a prompt of many words. ".repeat(100);
    for (const [index, sql] of [
      "UPDATE texts SET body = replace(body, 'many', 'few')",
      "DELETE FROM texts",
    ].entries()) {
      const journal = store.create(`texts-${index}`);
      journal.takeLease(claim({}), RULES);
      const events = [log(1), log(2, long), log(3, long)];
      await journal.append({ epoch: 1, events });
      await journal.append({ epoch: 1, events: [log(4, long)] });
      expect([...journal.read()]).toEqual([...events, log(4, long)]);
      journal.close();
      const db = new DatabaseSync(path(`texts-${index}`, "journal.db"));
      expect(db.prepare("SELECT count(*) AS count FROM texts").get()).toEqual({ count: 1 });
      db.exec(sql);
      db.close();
      const damaged = store.open(`texts-${index}`, "read");
      expect(() => [...damaged.read()]).toThrow(expect.objectContaining({ code: "STORE_CORRUPT" }));
      damaged.close();
    }
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
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON batches BEGIN DELETE FROM texts; END"],
    ["a view in place of a table", "DROP TABLE head; CREATE VIEW head AS SELECT 1 AS id"],
    ["a missing table", "DROP TABLE lease"],
    ["another kind of file", "PRAGMA application_id = 7"],
  ] as const)
    test(`${what} is refused before anything is read [T16]`, () => {
      const run = damagedRun("settled");
      alter({ path }, run, sql);
      for (const mode of ["read", "write"] as const)
        expect(readAll(run, mode)).toMatchObject({ events: [], code: "STORE_CORRUPT" });
    });

  test("a changed head or blob is not handed out [ENG-5]", () => {
    const run = damagedRun("settled");
    alter({ path }, run, `UPDATE head SET body = '{"state":"done"}'; UPDATE texts SET body = 'x'`);
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
    alter({ path }, run, "DELETE FROM batches");
    expect(readAll("settled", "read").events).toEqual(EVENTS);
    store.remove(run);
    expect(store.list()).not.toContain(run);
  });
});

describe("a journal of format 2 changed by hand", () => {
  tampering(
    earlier,
    [
      [
        "a changed body",
        "UPDATE events SET body = replace(body, 'line', 'lime') WHERE seq = 20",
        20,
      ],
      ["a removed event", "DELETE FROM events WHERE seq = 20", 20],
      ["a changed time", "UPDATE events SET at = at + 1 WHERE seq = 20", 20],
      ["a changed type", "UPDATE events SET type = 'step-started' WHERE seq = 20", 20],
      ["a time beyond all numbers", "UPDATE events SET at = 9223372036854775807 WHERE seq = 20", 1],
      ["a changed hash", `UPDATE events SET hash = '${sha256("x")}' WHERE seq = 20`, 20],
      ["a removed first event", "DELETE FROM events WHERE seq = 1", 1],
      [
        "two swapped events",
        `UPDATE events SET seq = -1 WHERE seq = 20; UPDATE events SET seq = 20 WHERE seq = 30;
         UPDATE events SET seq = 30 WHERE seq = -1`,
        20,
      ],
      ["an event before the first", "UPDATE events SET seq = 0 WHERE seq = 1", 1],
    ],
    [20, 50],
  );

  test("the event after which reading starts is missed, and what comes after the last is not", () => {
    const run = earlier.damagedRun("settled");
    alter(earlier, run, "DELETE FROM events WHERE seq = 50");
    const journal = earlier.store.open(run, "read");
    expect(() => [...journal.read(50)]).toThrow(
      expect.objectContaining({
        code: "STORE_CORRUPT",
        message: expect.stringContaining("event 50 is missing"),
        details: expect.objectContaining({ firstBadSeq: 50, intactUpTo: 49 }),
      }),
    );
    expect([...journal.read(70)]).toEqual([]);
    journal.close();
  });
});

describe("a newer format", () => {
  for (const [what, sql, found, known] of [
    ["journal", "PRAGMA user_version = 4", 4, 3],
    ["event", "UPDATE meta SET event_format = 2", 2, 1],
  ] as const)
    test(`of the ${what} is refused with both versions [ENG-16, P21.newer]`, () => {
      const run = damagedRun("settled");
      alter({ path }, run, sql);
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

function alter({ path }: Pick<DamagedRuns, "path">, run: string, sql: string): void {
  const db = new DatabaseSync(path(run, "journal.db"));
  db.exec(sql);
  db.close();
}
