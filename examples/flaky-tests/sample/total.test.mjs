import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "./invoice.mjs";

test("the total adds up the lines", () => {
  assert.equal(total([{ cents: 1250 }, { cents: 730 }]), 1980);
});

test("an empty invoice is about nothing", () => {
  assert.equal(total([]), 0);
});
