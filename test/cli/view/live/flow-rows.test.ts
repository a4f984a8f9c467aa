import { expect, test } from "vitest";
import type { PlannedRow } from "../../../../src/cli/view/live/live-model.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import { BEGINNING } from "../sample-journal.ts";
import { modelOf, pictureOf } from "./sample-model.ts";

const PLAN: readonly PlannedRow[] = [
  { id: "build", dependsOn: [], isRouted: true },
  { id: "tests", dependsOn: ["build"], isRouted: true },
  { id: "review", dependsOn: ["tests", "build"], isRouted: true },
];
const place = (path: string, execution: number) => ({
  note: `${path}#${execution}`,
  step: path.split("/").at(-1) ?? "",
  path,
  execution,
});
const begins = (path: string, execution = 1): EventData => ({
  ...place(path, execution),
  type: "step-started",
  attempt: 1,
});
const ends = (path: string, execution = 1): EventData => ({
  ...place(path, execution),
  type: "step-completed",
  attempt: 1,
  output: "ok",
  reason: "exit",
  durationMs: 1000,
});

function rowsOf(events: readonly EventData[], layout: "list" | "tree" = "list") {
  const model = { ...modelOf([...BEGINNING, ...events]), plan: PLAN };
  const { view } = pictureOf(model);
  return pictureOf(model, { ...view, layout }).rows.map(({ lead, name, text }) => [
    `${lead}${name}`,
    text,
  ]);
}

test("a step that any of several may lead to says so, and one that is carried out again how often [CLI-1]", () => {
  const events = [begins("build"), ends("build"), begins("build", 2), ends("build", 2)];
  expect(rowsOf([...events, begins("tests", 2)])).toEqual([
    ["tests", "×2"],
    ["review", "after tests or build"],
    ["build", "ok, ×2"],
  ]);
});

test("steps inside of another stand below it in the tree [CLI-1]", () => {
  const events = [begins("build"), ends("build"), begins("tests")];
  const rows = rowsOf([...events, begins("tests/unit"), begins("tests[0]/lint")], "tree");
  expect(rows.map(([name]) => name?.trim().replace(/^[^a-z]+/, ""))).toEqual([
    "build",
    "tests",
    "tests/unit",
    "tests[0]/lint",
    "review",
  ]);
});

test("an approval inside of another step stands in its place once [STP-8, CLI-1]", () => {
  const rows = rowsOf([
    begins("tests"),
    begins("tests/ask"),
    {
      type: "approval-requested",
      approval: "apr_1",
      op: "approval#1",
      message: "Go?",
      step: "ask",
      hash: "h",
    },
  ]);
  expect(rows.filter(([name]) => name === "tests/ask")).toEqual([["tests/ask", '"Go?"']]);
});
