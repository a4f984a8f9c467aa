import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/foundation/random.ts";
import { createDamagedRuns, EVENTS, expectTruth, SETTLED_OF_LOGGED } from "./damaged-runs.ts";

const { store, path, damagedRun, readAll, cleanup } = await createDamagedRuns();
afterAll(cleanup);

describe("one flipped bit", () => {
  for (const [original, file, rounds] of [
    ["settled", "journal.db", 200],
    ["logged", "journal.db-wal", 150],
    ["settled", "journal.seal", 40],
  ] as const)
    test(`in ${file} is found or harmless, never misread [ENG-5, P7]`, () => {
      const random = seededRandom(`flip ${file}`);
      const codes = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        const run = damagedRun(original, (directory) => flipBit(join(directory, file), random));
        const reading = readAll(run, round % 2 === 0 ? "read" : "write");
        expectTruth(reading);
        codes.add(reading.code ?? "intact");
        rmSync(path(run), { recursive: true });
      }
      // The loop has shown nothing unless it met both ends.
      expect(codes).toContain("STORE_CORRUPT");
      if (file === "journal.db") expect(codes).toContain("intact");
    });
});

describe("a file that lost its end", () => {
  for (const [original, file] of [
    ["settled", "journal.db"],
    ["logged", "journal.db-wal"],
  ] as const)
    test(`${file} cut anywhere is found out by the seal [ENG-5, P7]`, () => {
      const intact = readFileSync(path(`.${original}`, file));
      const size = file === "journal.db" ? intact.length : committedBytes(intact);
      for (let round = 0; round < 40; round += 1) {
        const keepBytes = Math.floor((size * round) / 40);
        const run = damagedRun(original, (directory) => {
          const whole = readFileSync(join(directory, file));
          writeFileSync(join(directory, file), whole.subarray(0, keepBytes));
        });
        const reading = readAll(run, round % 2 === 0 ? "read" : "write");
        expectTruth(reading);
        expect([keepBytes, reading.code]).toEqual([keepBytes, "STORE_CORRUPT"]);
        rmSync(path(run), { recursive: true });
      }
    });

  test("a log cut behind the last seal leaves the events before the cut, as a crash does [P7]", () => {
    const run = damagedRun("logged", (directory) => {
      const log = readFileSync(join(directory, "journal.db-wal"));
      writeFileSync(
        join(directory, "journal.db-wal"),
        log.subarray(0, Math.floor(committedBytes(log) / 2)),
      );
      rmSync(join(directory, "journal.seal"));
    });
    const { events, code } = readAll(run, "write");
    expect(code).toBeUndefined();
    expect(events.length).toBeGreaterThan(SETTLED_OF_LOGGED);
    expect(events.length).toBeLessThan(EVENTS.length);
    expect(events).toEqual(EVENTS.slice(0, events.length));
  });

  test("a deleted log is found out by the seal, with what is left [ENG-5]", () => {
    const run = damagedRun("logged", (directory) => rmSync(join(directory, "journal.db-wal")));
    for (const mode of ["read", "write"] as const)
      expect(readAll(run, mode).error).toMatchObject({
        code: "STORE_CORRUPT",
        details: { run, firstBadSeq: 41, intactUpTo: 40 },
        message: expect.stringContaining("events 41 to 60 are missing"),
      });
  });

  test("an emptied journal is not taken for an unfinished creation [P7]", () => {
    const run = damagedRun("settled", (directory) =>
      writeFileSync(join(directory, "journal.db"), ""),
    );
    expect(readAll(run, "write").code).toBe("STORE_CORRUPT");
    expect(store.list()).toContain(run);
    expect(() => store.create(run)).toThrow(expect.objectContaining({ code: "STORE_RUN_EXISTS" }));
  });
});

function flipBit(file: string, random: Random): void {
  const bytes = readFileSync(file);
  const offset = Math.floor(random() * bytes.length);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << Math.floor(random() * 8)), offset);
  writeFileSync(file, bytes);
}

/** Where the last commit of a log ends: it is longer, so that its commits need not lengthen it. */
function committedBytes(log: Buffer): number {
  // Of the format of SQLite's log: 32 bytes, then frames of a page and a header that says what a commit ends with.
  let end = 0;
  for (let at = 32; at < log.length; at += 24 + 4096)
    if (log.readUInt32BE(at + 4) !== 0) end = at + 24 + 4096;
  return end;
}
