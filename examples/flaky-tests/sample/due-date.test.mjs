import assert from "node:assert/strict";
import { test } from "node:test";
import { dueDate } from "./invoice.mjs";

// Passes on the machine of whoever wrote it, and in every CI that runs in UTC.
test("an invoice is due thirty days after its date", () => {
  assert.equal(dueDate("2026-03-01T00:00:00Z"), "2026-03-31");
});
