import fc from "fast-check";
import { test } from "vitest";
import { checkPlaces, placesCases } from "./places-model.ts";
import { checkCollab, collabCases } from "./status-model.ts";

// The first of those that collab-models.slow.test.ts tries by the thousand.

test("statuses, waits and endings are those of the model, whatever happens and whenever the owner dies [COL-2, COL-3, COL-4, COL-6, COL-12]", {
  timeout: 60_000,
}, async () => {
  await fc.assert(fc.asyncProperty(collabCases, checkCollab), { numRuns: 40 });
});

test("with one place for turns or two, a lead and its agents come to their end [COL-9]", {
  timeout: 60_000,
}, async () => {
  await fc.assert(fc.asyncProperty(placesCases, checkPlaces), { numRuns: 40 });
});
