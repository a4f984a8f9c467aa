import fc from "fast-check";
import { test } from "vitest";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { casesOf } from "../cases.ts";
import { checkDelivery, deliveryCases } from "./delivery-model.ts";

// More of them, over SQLite, in test/crash.
const numRuns = casesOf(800);

test("whenever its owner dies, no message is lost, doubled or out of order, and each mention is acked once [MSG-3, P1]", {
  timeout: 60_000 + numRuns * 100,
}, async () => {
  await fc.assert(
    fc.asyncProperty(deliveryCases, (plan) => checkDelivery(plan, createMemoryStore())),
    { numRuns },
  );
});
