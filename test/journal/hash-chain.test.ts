import { expect, test } from "vitest";
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
