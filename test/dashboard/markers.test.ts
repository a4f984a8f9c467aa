import { expect, test } from "vitest";
import {
  findMarkers,
  type Marker,
  nextMarker,
  thinMarkers,
} from "../../src/dashboard/client/model/markers.ts";
import { sampleReport } from "./sample-report.ts";

const { events } = sampleReport();
const markers = findMarkers(events);

test("failures, requests to people and writes of documents are marked where they happened", () => {
  expect(markers.map(({ kind, position }) => [kind, events[position - 1]?.type])).toEqual([
    ["document", "document-changed"],
    ["person", "approval-requested"],
    ["person", "permission-requested"],
    ["document", "document-changed"],
    ["failure", "verification-failed"],
    ["failure", "step-retrying"],
    ["failure", "turn-failed"],
    ["failure", "verification-failed"],
    ["failure", "step-failed"],
    ["person", "question-asked"],
  ]);
});

test("the next marker lies behind the position and never on it, and there is none beyond the ends", () => {
  const [first, second] = markers;
  const last = markers.at(-1);
  expect(nextMarker(markers, 0, 1)).toBe(first);
  expect(nextMarker(markers, first?.position ?? 0, 1)).toBe(second);
  expect(nextMarker(markers, second?.position ?? 0, -1)).toBe(first);
  expect(nextMarker(markers, first?.position ?? 0, -1)).toBeUndefined();
  expect(nextMarker(markers, last?.position ?? 0, 1)).toBeUndefined();
});

test("ticks that would touch give way to the more important one", () => {
  const at = (kind: Marker["kind"], position: number): Marker => ({ kind, position, label: "" });
  const crowd = [at("document", 1), at("failure", 9), at("person", 12), at("document", 40)];
  const positions = (distance: number) =>
    thinMarkers(crowd, distance)
      .map(({ position }) => position)
      .sort((left, right) => left - right);
  expect(positions(1)).toEqual([1, 9, 12, 40]);
  expect(positions(5)).toEqual([1, 9, 40]);
  expect(positions(20)).toEqual([9, 40]);
});
