import { expect, test } from "vitest";
import { createTimeTravel } from "../../src/dashboard/client/model/time-travel.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { longReport } from "./sample-report.ts";

const { events } = longReport(1600);

test("every moment that is travelled to, in any order, is the fold of the events before it", () => {
  const travel = createTimeTravel("run_a", events);
  for (const count of [1600, 0, 499, 500, 501, 1500, 1499, 3, 1600, 1599]) {
    const upTo = events.slice(0, count);
    expect(travel.stateAfter(count), `after ${count} events`).toEqual(foldAll("run_a", upTo));
  }
});

test("what lies beyond the ends of the run is its beginning and its end", () => {
  const travel = createTimeTravel("run_a", events.slice(0, 10));
  expect(travel.stateAfter(-5)).toEqual(foldAll("run_a", []));
  expect(travel.stateAfter(99)).toEqual(foldAll("run_a", events.slice(0, 10)));
});

test("events that come later are travelled to as well", () => {
  const growing = events.slice(0, 600);
  const travel = createTimeTravel("run_a", growing);
  travel.stateAfter(600);
  growing.push(...events.slice(600, 1200));
  expect(travel.stateAfter(1200)).toEqual(foldAll("run_a", events.slice(0, 1200)));
  expect(travel.stateAfter(550)).toEqual(foldAll("run_a", events.slice(0, 550)));
});

test("a run that outgrows the snapshots keeps only as many as it may, and stays right", () => {
  const growing = events.slice(0, 500);
  const travel = createTimeTravel("run_a", growing, { intervalEvents: 20, maxSnapshots: 4 });
  for (const count of [100, 70, 30]) travel.stateAfter(count);
  growing.push(...events.slice(500, 1500));
  for (const count of [1500, 90, 1499, 640])
    expect(travel.stateAfter(count)).toEqual(foldAll("run_a", events.slice(0, count)));
});
