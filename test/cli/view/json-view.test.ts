import { expect, test } from "vitest";
import { createJsonView, MAX_TEXT_BYTES } from "../../../src/cli/view/json-view.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { BEGINNING, play, SAMPLE, toJournal } from "./sample-journal.ts";

function jsonLines(events: readonly EventData[], showsOperations = false): readonly string[] {
  const lines: string[] = [];
  const view = createJsonView({
    write: (line) => lines.push(line),
    run: "run_7k2f",
    showsOperations,
  });
  play(toJournal(events), view.show);
  return lines;
}

function lastOf(event: EventData): unknown {
  return JSON.parse(jsonLines([...BEGINNING, event]).at(-1) ?? "");
}

function log(text: string): EventData {
  return { type: "log", note: "l", level: "info", text };
}

test("each line is one event with version, seq, ISO time and run", () => {
  const [created, started] = jsonLines(SAMPLE);
  expect(started).toBe(
    '{"v":1,"seq":2,"at":"2026-11-21T10:00:01.000Z","run":"run_7k2f","type":"run-started","epoch":1}',
  );
  expect(JSON.parse(created ?? "")).toEqual({
    v: 1,
    at: "2026-11-21T10:00:00.000Z",
    run: "run_7k2f",
    ...SAMPLE[0],
    seq: 1,
  });
});

test("operations are left out unless all is asked for, and the last line is the end of the run", () => {
  const types = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).type);
  const expected = SAMPLE.map(({ type }) => type);
  expect(types(jsonLines(SAMPLE, true))).toEqual(expected);
  expect(types(jsonLines(SAMPLE))).toEqual(expected.filter((type) => !/^operation-/.test(type)));
  expect(types(jsonLines(SAMPLE)).at(-1)).toBe("run-ended");
});

test("a text of 256 KiB is whole, one byte more is a beginning with a reference", () => {
  const whole = "x".repeat(MAX_TEXT_BYTES);
  expect(lastOf(log(whole))).toMatchObject({ text: whole });
  expect(lastOf(log(`${whole}y`))).toMatchObject({
    text: { text: whole, truncated: true, ref: "seq:3/text" },
  });
});

test("a text is measured in bytes and never cut inside of a character", () => {
  const text = `xx${"€".repeat(90_000)}`;
  const cut = lastOf(log(text));
  expect(cut).toMatchObject({ text: { truncated: true, text: `xx${"€".repeat(87_380)}` } });
});

test("a long text inside of a value is named by the way to it, whatever its key", () => {
  const long = "x".repeat(MAX_TEXT_BYTES + 1);
  const result: Json = JSON.parse(JSON.stringify({ steps: [{ output: long }], short: 1 }));
  const ended: EventData = {
    type: "run-ended",
    outcome: "completed",
    reason: "",
    resumable: false,
    exitCode: 0,
    durationMs: 1,
    result,
  };
  expect(lastOf(ended)).toMatchObject({
    result: {
      steps: [{ output: { truncated: true, ref: "seq:3/result/steps/0/output" } }],
      short: 1,
    },
  });
});
