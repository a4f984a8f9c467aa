import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { startedRuns } from "../../src/dashboard/client/model/runs-below.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { created, journal, started } from "../fold/journal-builder.ts";

const at = { step: "review", path: "review" };
const begun = (child: string, op: string, path = "review"): EventData => ({
  type: "child-started",
  ...{ child, op, workflow: "lint", step: path, path },
});
const over = (child: string, op: string, outcome: "completed" | "failed"): EventData => ({
  type: "child-ended",
  ...{ child, op, outcome, reason: "because" },
});
const use = {
  cost: 0.3,
  tokens: 10,
  turns: 2,
  messages: 0,
  agents: 1,
  workedMs: 0,
  isEstimate: false,
};

test("a report lists the runs below with their ends, what they took and what came out of them [ENG-12]", () => {
  const noted = { note: "n", execution: 1, attempt: 1, ...at } as const;
  const state = foldAll(
    "run_a",
    journal([
      created,
      started,
      { ...noted, type: "step-started" },
      begun("run_b", "child#1"),
      over("run_b", "child#1", "failed"),
      begun("run_c", "child#2"),
      { type: "child-spent", child: "run_c", op: "child#2", use },
      over("run_c", "child#2", "completed"),
      { ...noted, type: "step-completed", output: "all well", reason: "exit", durationMs: 5 },
      begun("run_d", "child#3", "later"),
    ]),
  );
  expect(startedRuns(state)).toMatchObject([
    { run: "run_b", end: { outcome: "failed", reason: "because" }, output: "", use: undefined },
    { run: "run_c", path: "review", end: { outcome: "completed" }, use, output: "all well" },
    { run: "run_d", end: undefined, output: "" },
  ]);
});

test("a run below took no less than nothing when the clock was set back before it ended", () => {
  const events = journal([
    created,
    started,
    begun("run_b", "child#1"),
    over("run_b", "child#1", "completed"),
  ]);
  const setBack = events.map((event) =>
    event.type === "child-ended" ? { ...event, at: 1 } : event,
  );
  expect(startedRuns(foldAll("run_a", setBack))).toMatchObject([{ run: "run_b", durationMs: 0 }]);
});
