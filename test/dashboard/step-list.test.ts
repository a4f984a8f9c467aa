import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { outlineOf, viewOutline } from "../../src/dashboard/client/model/run-outline.ts";
import {
  chooseSteps,
  countLooks,
  type StepChoice,
} from "../../src/dashboard/client/model/step-list.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { journal } from "../fold/journal-builder.ts";
import { graphOf, stepCompleted, stepStarted } from "./sample-report.ts";

const NONE: StepChoice = { find: undefined, look: undefined, order: undefined };

const steps = viewSteps();

test("without a choice all steps stand in the order of the workflow", () => {
  expect(namesOf(NONE)).toEqual(["plan", "code", "test", "ship"]);
});

test("what is failed stands first, what asks for nobody last, and the rest as it was", () => {
  expect(namesOf({ ...NONE, order: "failed-first" })).toEqual(["test", "code", "plan", "ship"]);
});

test.each([
  ["a name", "SHI", ["ship"]],
  ["an agent", "coder", ["code", "test"]],
  ["what came out", "all of it", ["plan"]],
  ["an error", "no space", ["test"]],
  ["nothing", "nowhere", []],
])("steps are found by %s", (_title, find, names) => {
  expect(namesOf({ ...NONE, find })).toEqual(names);
});

test("steps are chosen by their state, and each state says how many are in it", () => {
  expect(namesOf({ ...NONE, look: "failed" })).toEqual(["test"]);
  expect(countLooks(steps)).toEqual([
    ["failed", 1],
    ["running", 1],
    ["completed", 1],
    ["pending", 1],
  ]);
});

function namesOf(choice: StepChoice): readonly string[] {
  return chooseSteps(steps, choice).map(({ path }) => path);
}

function viewSteps() {
  const graph = graphOf([
    ["plan", "lead", []],
    ["code", "coder", ["plan"]],
    ["test", "coder", ["plan"]],
    ["ship", "lead", ["code", "test"]],
  ]);
  const failed: EventData = {
    ...{ type: "step-failed", note: "n", step: "test", path: "test", execution: 1, attempt: 1 },
    error: { code: "X", message: "NO SPACE left" },
    durationMs: 10,
    agent: "coder",
  };
  const events = [
    stepStarted("plan", "lead"),
    stepCompleted("plan", "lead", "all of it"),
    stepStarted("code", "coder"),
    stepStarted("test", "coder"),
    failed,
  ];
  const state = foldAll("run_a", journal(events));
  return viewOutline(outlineOf(graph, state), state, { opened: new Set(), isLeft: false });
}
