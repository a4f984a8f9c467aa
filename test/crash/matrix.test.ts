import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { killedEverywhere } from "./killed-everywhere.ts";

const MATRIX = { start: "start-matrix", resume: "resume-matrix" } as const;

test("a step with a matrix, killed after every write, comes to the same, and no instance that was over is carried out again [WF-17, ENG-2, P1]", async () => {
  const landings = await killedEverywhere(MATRIX, ({ events, ledger }) => {
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
    const instances = ["test (a, 1)", "test (a, 2)", "test (b, 1)", "test (b, 2)"];
    expect(ends(events).toSorted()).toEqual([
      "step-completed prepare",
      "step-completed report",
      ...instances.slice(0, 3).map((id) => `step-completed ${id}`),
      "step-failed test",
      "step-failed test (b, 2)",
    ]);
    const report = events.find(
      (event) => event.type === "step-completed" && event.step === "report",
    );
    const output = report !== undefined && "output" in report ? String(report.output) : "";
    const results: { id: string; status: string; output: string }[] = JSON.parse(output);
    expect(results.map(({ id, status }) => `${id} ${status}`)).toEqual(
      instances.map((id, index) => `${id} ${index === 3 ? "failed" : "completed"}`),
    );
    expect(results.map((each) => each.output)).toEqual(["a1", "a2", "b1", ""]);
    // Whatever was started twice was under way when its process died.
    const starts = Map.groupBy(
      ledger.filter(({ mark }) => mark === "start"),
      (each) => each.step,
    );
    const again = [...starts].filter(([, all]) => all.length > 1).map(([name]) => name);
    const kept = endsBefore(events).map((id) => id.replaceAll(/test|[ (),]/g, ""));
    expect(again.filter((name) => kept.includes(name))).toEqual([]);
    const over = ledger.filter(({ mark }) => mark === "end");
    expect(new Set(over.map((each) => each.step))).toEqual(new Set(["a1", "a2", "b1", "b2"]));
    expect(mostAtOnce(events)).toBeLessThanOrEqual(2);
  });
  expect(landings).toBeGreaterThan(4);
});

function ends(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "step-completed" || event.type === "step-failed"
      ? [`${event.type} ${event.step}`]
      : [],
  );
}

/** Instances that are under way at the same time; a new owner begins none that is. */
function mostAtOnce(events: readonly JournalEvent[]): number {
  const open = new Set<string>();
  let most = 0;
  for (const event of events) {
    if (!("step" in event) || typeof event.step !== "string" || !event.step.includes("(")) continue;
    if (event.type === "step-started") open.add(event.step);
    if (event.type === "step-completed" || event.type === "step-failed") open.delete(event.step);
    most = Math.max(most, open.size);
  }
  return most;
}

/** Steps whose end the journal had when its first owner died. */
function endsBefore(events: readonly JournalEvent[]): readonly string[] {
  const died = events.findIndex(({ type }) => type === "run-resumed");
  return events.slice(0, Math.max(0, died)).flatMap((event) => {
    const isEnd = event.type === "step-completed" || event.type === "step-failed";
    return isEnd ? [event.step] : [];
  });
}
