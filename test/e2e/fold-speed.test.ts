import { expect, test } from "vitest";
import type { EventData, JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { toHead } from "../../src/fold/head.ts";
import {
  created,
  journal,
  posted,
  scheduled,
  settled,
  spawned,
  started,
  turnCompleted,
  turnStarted,
} from "../fold/journal-builder.ts";
import { processorMs } from "../testing/processor-time.ts";

/** A run of `count` steps, ten events each. */
function longJournal(count: number): readonly JournalEvent[] {
  const events: EventData[] = [created, started, spawned("coder")];
  for (let index = 1; index <= count; index += 1) {
    const noted = { note: `n${index}`, step: "work", path: `all[${index}]/work`, execution: 1 };
    const message = `m${index}`;
    events.push(
      { ...noted, type: "step-started", attempt: 1, agent: "coder" },
      posted(message, ["coder"]),
      scheduled(`turn#${index}`, "turn", "coder"),
      turnStarted("coder", index, { messages: [message], ops: [`turn#${index}`] }),
      { type: "tool-called", agent: "coder", turn: index, call: "c", tool: "Bash", input: {} },
      { type: "file-changed", agent: "coder", turn: index, path: "a.ts", kind: "edit" },
      turnCompleted("coder", index),
      settled(`turn#${index}`),
      {
        ...noted,
        type: "step-completed",
        attempt: 1,
        output: "done",
        reason: "done-signal",
        durationMs: 5,
      },
      { type: "log", note: `l${index}`, level: "info", text: "next" },
    );
  }
  return journal(events);
}

// Ten short runs are kept at once, so that the garbage collector has as much to walk as in the long one.
// A cost that grows with the length would be ten times as high; the rest is room for a busy machine.
test("an event of a run of 100,000 events costs what one of a run of 10,000 does", () => {
  const short = longJournal(1000);
  const long = longJournal(10_000);
  const tenShort = () => Array.from({ length: 10 }, () => foldAll("run_a", short));
  tenShort();
  expect(processorMs(0, () => foldAll("run_a", long))).toBeLessThan(
    3 * processorMs(0, tenShort) + 50,
  );
});

test("the head of a run of 10,000 steps costs what that of 10 steps costs", () => {
  const long = foldAll("run_a", longJournal(10_000));
  const short = foldAll("run_a", longJournal(10));
  const heads = (state: typeof long) => () => {
    for (let index = 0; index < 1000; index += 1) toHead(state);
  };
  expect(toHead(long).steps).toEqual({ done: 10_000, total: 10_000 });
  expect(processorMs(0, heads(long))).toBeLessThan(10 * Math.max(processorMs(0, heads(short)), 2));
});
