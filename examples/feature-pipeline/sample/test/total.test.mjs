import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/total.mjs";

test("a basket costs what is in it", () => assert.equal(total([10, 5]), 15));
test("an empty basket costs nothing", () => assert.equal(total([]), 0));
