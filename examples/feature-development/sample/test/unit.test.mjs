import assert from "node:assert/strict";
import test from "node:test";
import { readSettings } from "../src/settings.mjs";

test("a reader may want large letters", () =>
  assert.equal(readSettings("size=large").size, "large"));
