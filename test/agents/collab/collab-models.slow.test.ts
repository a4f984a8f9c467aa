import fc from "fast-check";
import { test } from "vitest";
import { casesOf } from "../../cases.ts";
import { checkPlaces, placesCases } from "./places-model.ts";
import { checkCollab, collabCases } from "./status-model.ts";
import { checkTasks, taskCases } from "./task-model.ts";

const numRuns = casesOf(10_000);
const timeout = 120_000 + numRuns * 100;

test("statuses, waits and endings are those of the model [COL-2, COL-3, COL-4, COL-6, COL-12]", {
  timeout,
}, async () => {
  await fc.assert(fc.asyncProperty(collabCases, checkCollab), { numRuns });
});

test("a lead and its agents come to their end with one place or two [COL-9]", {
  timeout,
}, async () => {
  await fc.assert(fc.asyncProperty(placesCases, checkPlaces), { numRuns });
});

test("in any interleaving with crashes every completion of a task is told once and every place comes free [SUB-6]", {
  timeout: 300_000,
}, async () => {
  await fc.assert(fc.asyncProperty(taskCases, checkTasks), { numRuns: casesOf(1000) });
});
