import { expect, test } from "vitest";
import { ASCII_GLYPHS } from "../../../src/cli/terminal/glyphs.ts";
import { finalSummary } from "../../../src/cli/view/final-summary.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import { resultOutput } from "../../../src/fold/result-output.ts";
import { BEGINNING, play, SAMPLE, toJournal, WAITING } from "./sample-journal.ts";

function summaryOf(events: readonly EventData[]): readonly string[] {
  return finalSummary(play(toJournal(events)));
}

function step(path: string, index: number): EventData {
  return {
    type: "step-completed",
    note: `n${index}`,
    step: path,
    path,
    execution: 1,
    attempt: 1,
    output: `output ${index}`,
    reason: "exit",
    durationMs: 10,
  };
}

test("the summary of a run names each step, the result and how it ended", () => {
  expect(summaryOf(SAMPLE)).toEqual([
    "  ✔ test   completed    58s coder    4/4 tests pass …",
    "  ○ docs   skipped                   when is false",
    "  ✔ deploy completed   4.2s          pushed 3 files …",
    "result",
    "  pushed 3 files",
    "  done",
    "✔ done in 1m44s · 2 agents · 3 messages · 1 retry · $0.40",
  ]);
});

test("a result that is data is shown member by member, its texts as texts [USE-5.texts]", () => {
  const output = { verdict: "approved", notes: 'one\n"two"' };
  const ended: EventData = {
    type: "run-ended",
    outcome: "completed",
    reason: "done",
    exitCode: 0,
    resumable: false,
    result: { output },
    durationMs: 10,
  };
  expect(summaryOf([...BEGINNING, ended]).slice(0, 5)).toEqual([
    "result",
    "  verdict: approved",
    "  notes:",
    "    one",
    '    "two"',
  ]);
});

test("the summary of a run that waits ends with what to answer and how to go on", () => {
  expect(summaryOf(WAITING)).toEqual([
    "  ✖ test        failed     900ms          exit 1 … [STEP_VERIFY_FAILED]",
    "  ✖ report      blocked                   waits for test",
    "  ✖ all[0]/lint cancelled        coder    race lost",
    "needs you",
    '  ▲ approval apr_91 (deploy): "Push?"',
    '    troupe approve apr_91 · troupe reject apr_91 -m "why"',
    "▲ waiting for 1 decision: troupe resume run_7k2f",
  ]);
});

test("the summary of a run of many steps shows those that did not go well and counts the others", () => {
  const many = Array.from({ length: 60 }, (_, index) => step(`s${index}`, index));
  const skipped: EventData = {
    type: "step-skipped",
    note: "k",
    step: "last",
    path: "last",
    execution: 1,
    reason: "when is false",
  };
  expect(summaryOf([...BEGINNING, ...many, skipped]).slice(0, 2)).toEqual([
    "  ○ last skipped                   when is false",
    "  … 60 more: troupe show run_7k2f",
  ]);
});

test("the output is that of the result, else of the step that completed last", () => {
  const end = (result: EventData & { type: "run-ended" }) =>
    play(toJournal([...BEGINNING, step("a", 1), step("b", 2), result]));
  const ended = {
    type: "run-ended",
    outcome: "completed",
    reason: "",
    resumable: false,
    exitCode: 0,
    durationMs: 1,
  } as const;
  expect(resultOutput(end({ ...ended, result: null }))).toBe("output 2");
  expect(resultOutput(end({ ...ended, result: { output: "of the result" } }))).toBe(
    "of the result",
  );
  expect(resultOutput(play(toJournal(BEGINNING)))).toBe("");
});

test("the summary can be plain ASCII", () => {
  const lines = [SAMPLE, WAITING].flatMap((events) =>
    finalSummary(play(toJournal(events)), { glyphs: ASCII_GLYPHS }),
  );
  expect(lines.filter((line) => /[^\x20-\x7e]/.test(line))).toEqual([]);
});
