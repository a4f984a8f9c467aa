import fc from "fast-check";
import { test } from "vitest";
import { checkPlaces, placesCases } from "./places-model.ts";
import { checkCollab, collabCases } from "./status-model.ts";

// More: TROUPE_PROPERTY_RUNS.
const numRuns = Number(process.env["TROUPE_PROPERTY_RUNS"] ?? 10_000);
const timeout = 120_000 + numRuns * 100;

test("in ten thousand cases statuses, waits and endings are those of the model [COL-2, COL-3, COL-4, COL-6, COL-12]", {
  timeout,
}, async () => {
  await fc.assert(fc.asyncProperty(collabCases, checkCollab), { numRuns });
});

test("in ten thousand cases a lead and its agents come to their end with one place or two [COL-9]", {
  timeout,
}, async () => {
  await fc.assert(fc.asyncProperty(placesCases, checkPlaces), { numRuns });
});
