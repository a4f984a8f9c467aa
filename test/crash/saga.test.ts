import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { killedEverywhere } from "./killed-everywhere.ts";

const SAGA = { start: "start-saga", resume: "resume-saga" } as const;

test("a saga, killed after every write, undoes all that it did in reverse order, and nothing that was undone again [PAT-more.saga, ENG-2, P1]", async () => {
  const writes = await killedEverywhere(SAGA, ({ events, ledger }) => {
    expect(events.at(-1)).toMatchObject({
      type: "run-ended",
      outcome: "failed",
      result: { metadata: { undone: ["three", "one"], notUndone: ["two"] } },
    });
    expect(endsOf(events)).toEqual([
      ...["step-completed one", "step-completed two", "step-completed three", "step-failed four"],
      "step-completed three/compensate",
      "step-failed two/compensate",
      "step-completed one/compensate",
    ]);
    const starts = ledger.filter(({ mark }) => mark === "start").map(({ step }) => step);
    expect(starts.filter((step, index) => step !== starts[index - 1])).toEqual([
      ...["one", "two", "three", "four"],
      ...["three/compensate", "two/compensate", "one/compensate"],
    ]);
    // Whatever was started twice was under way when its process died.
    const over = endsOf(events.slice(0, diedAt(events))).map((end) => end.split(" ")[1]);
    const again = starts.filter((step, index) => step === starts[index - 1]);
    expect(again.filter((step) => over.includes(step))).toEqual([]);
  });
  expect(writes).toBeGreaterThan(7);
});

function endsOf(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "step-completed" || event.type === "step-failed"
      ? [`${event.type} ${event.path}`]
      : [],
  );
}

function diedAt(events: readonly JournalEvent[]): number {
  const resumed = events.findIndex(({ type }) => type === "run-resumed");
  return resumed === -1 ? events.length : resumed;
}
