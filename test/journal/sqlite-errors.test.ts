import { expect, test } from "vitest";
import { TroupeError } from "../../src/foundation/errors.ts";
import { storeBusy } from "../../src/journal/errors.ts";
import { retryWhileBusy, toStoreError } from "../../src/journal/sqlite-errors.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

const place = { run: "run-a", place: "runs/run-a/journal.db" };

function sqlite(errcode: number): Error {
  return Object.assign(new Error("said so"), { code: "ERR_SQLITE_ERROR", errcode });
}

function system(code: string, message = `${code}: no luck, open '/home/ann/secret'`): Error {
  return Object.assign(new Error(message), { code });
}

test.each([
  { name: "a lock", error: sqlite(5), read: "STORE_BUSY", write: "STORE_BUSY" },
  {
    name: "a lock while a snapshot is old",
    error: sqlite(517),
    read: "STORE_BUSY",
    write: "STORE_BUSY",
  },
  { name: "a table lock", error: sqlite(6), read: "STORE_BUSY", write: "STORE_BUSY" },
  { name: "a full disk", error: sqlite(13), read: "STORE_FULL", write: "STORE_FULL" },
  {
    name: "no room for shared memory",
    error: sqlite(4874),
    read: "STORE_FULL",
    write: "STORE_FULL",
  },
  { name: "a damaged page", error: sqlite(11), read: "STORE_CORRUPT", write: "STORE_CORRUPT" },
  {
    name: "a file that is no database",
    error: sqlite(26),
    read: "STORE_CORRUPT",
    write: "STORE_CORRUPT",
  },
  { name: "other tables", error: sqlite(1), read: "STORE_CORRUPT", write: "STORE_CORRUPT" },
  {
    name: "a broken rule of a table",
    error: sqlite(1555),
    read: "STORE_CORRUPT",
    write: "STORE_CORRUPT",
  },
  {
    name: "a column of another type",
    error: sqlite(20),
    read: "STORE_CORRUPT",
    write: "STORE_CORRUPT",
  },
  {
    name: "a file that is too short",
    error: sqlite(522),
    read: "STORE_CORRUPT",
    write: "STORE_CORRUPT",
  },
  {
    name: "a length that none has",
    error: sqlite(18),
    read: "STORE_CORRUPT",
    write: "STORE_UNWRITABLE",
  },
  {
    name: "a failing disk",
    error: sqlite(10),
    read: "STORE_UNREADABLE",
    write: "STORE_UNWRITABLE",
  },
  { name: "ENOSPC", error: system("ENOSPC"), read: "STORE_FULL", write: "STORE_FULL" },
  { name: "EDQUOT", error: system("EDQUOT"), read: "STORE_FULL", write: "STORE_FULL" },
  {
    name: "a number that is too large",
    error: system("ERR_OUT_OF_RANGE", "out of range"),
    read: "STORE_CORRUPT",
    write: "STORE_CORRUPT",
  },
  { name: "EACCES", error: system("EACCES"), read: "STORE_UNREADABLE", write: "STORE_UNWRITABLE" },
])(
  "$name is told as $read to readers and as $write to writers [ENG-5]",
  ({ error, read, write }) => {
    for (const [access, code] of [
      ["read", read],
      ["write", write],
    ] as const) {
      const told = toStoreError(error, place, access);
      expect(told).toMatchObject({ code, cause: error });
      expect(told.message).toContain("run-a");
      expect(told.message).not.toContain("/home/ann");
    }
  },
);

test("what is no matter of the store stays what it is", () => {
  const fault = new TypeError("a fault");
  const own = new TroupeError({ code: "X", message: "m", details: null });
  expect(toStoreError(fault, place, "read")).toBe(fault);
  expect(toStoreError(own, place, "read")).toBe(own);
  expect(toStoreError("a text", place, "write")).toMatchObject({
    message: "a text",
    cause: "a text",
  });
});

test("a message of SQLite is told with its number", () => {
  expect(toStoreError(sqlite(10), place, "read").message).toContain("said so (SQLite 10)");
  expect(toStoreError(sqlite(11), place, "read").message).toContain('SQLite says "said so"');
});

test("a lock is tried again for two seconds, with pauses that grow to 20 ms, and ends with its signal [P6.busy]", async () => {
  const clock = createManualClock();
  const triedAtMs: number[] = [];
  const attempt = () => {
    triedAtMs.push(clock.monotonic());
    throw storeBusy(place);
  };
  const { signal } = new AbortController();
  const tried = retryWhileBusy(attempt, { clock, signal }).catch((error: unknown) => error);
  await clock.advance(5000);
  expect(await tried).toMatchObject({ code: "STORE_BUSY" });
  expect(triedAtMs.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 51, 71]);
  expect(triedAtMs.at(-1)).toBeGreaterThanOrEqual(2000);
  expect(triedAtMs.at(-1)).toBeLessThan(2020);
  const stopping = new AbortController();
  const stopped = retryWhileBusy(attempt, { clock, signal: stopping.signal });
  stopping.abort(new Error("closed"));
  await expect(stopped).rejects.toThrow("closed");
  expect(clock.timerCount).toBe(0);
});

test("what is no lock is not tried again", async () => {
  let tries = 0;
  const attempt = () => {
    tries += 1;
    throw new Error("broken");
  };
  const options = { clock: createManualClock(), signal: new AbortController().signal };
  await expect(retryWhileBusy(attempt, options)).rejects.toThrow("broken");
  expect(tries).toBe(1);
});
