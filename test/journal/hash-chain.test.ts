import { expect, test } from "vitest";
import { sha256 } from "../../src/foundation/hash.ts";
import { GENESIS_HASH, toEventRow, toJournalEvent } from "../../src/journal/hash-chain.ts";
import { log } from "../../src/testing/journal-case.ts";

// Written by format 1. If these change, every stored journal reads as damaged: raise the format instead.
const FIRST_HASH = "1c2b0269c5b1fe10f0f5f35cbbc4d97b29184b7d794ea2defcdbc984eb5973f7";
const SECOND_HASH = "c10c965212badc5896621483598c9a0a7ab8c0a9e160f3c8e8573c1e33a4c7e0";

test("the chain of format 1 is what it was when the first journals were written [ENG-16]", () => {
  const first = toEventRow(log(1), GENESIS_HASH);
  const second = toEventRow(log(2), first.hash);
  expect(first).toEqual({
    seq: 1,
    at: 1_700_000_000_001,
    type: "log",
    body: '{"note":"log#1","level":"info","text":"line 1"}',
    hash: FIRST_HASH,
  });
  expect(second.hash).toBe(SECOND_HASH);
});

test("a row comes back as the event it was, and names what follows it", () => {
  const row = toEventRow(log(1), GENESIS_HASH);
  expect(toJournalEvent({ ...row }, { seq: 0, hash: GENESIS_HASH })).toEqual({
    event: log(1),
    hash: row.hash,
  });
});

const start = { seq: 0, hash: GENESIS_HASH };
const rowOf = (body: string) => {
  const hash = sha256(`${GENESIS_HASH} 1 5 log ${body}`);
  return { seq: 1, at: 5, type: "log", body, hash };
};

test.each(["{", "[]", "null", '"text"'])(
  "a body with a right hash that is no object is told: %s",
  (body) => {
    expect(toJournalEvent(rowOf(body), start)).toEqual({ problem: "event 1 is no JSON object" });
  },
);

test.each([
  { column: "at", value: "5" },
  { column: "type", value: 5 },
  { column: "body", value: null },
])("a row whose $column has another type is told [ENG-5]", ({ column, value }) => {
  expect(toJournalEvent({ ...rowOf("{}"), [column]: value }, start)).toEqual({
    problem: "event 1 has columns of the wrong type",
  });
});

test("an altered row, and one that does not follow, are told [ENG-5]", () => {
  expect(toJournalEvent(rowOf("{}"), start)).toMatchObject({
    event: { seq: 1, at: 5, type: "log" },
  });
  expect(toJournalEvent({ ...rowOf("{}"), at: 6 }, start)).toEqual({
    problem: "event 1 does not match its hash",
  });
  expect(toJournalEvent(rowOf("{}"), { ...start, seq: 1 })).toEqual({
    problem: "event 2 is missing",
  });
});
