import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { killedEverywhere } from "./killed-everywhere.ts";

const MODES = { start: "start-modes", resume: "resume-modes" } as const;

test("modes as steps of one workflow, killed after every write, come to the same, and a person is asked once [STP-1, STP-19, TEAM-6, ENG-2]", async () => {
  const landings = await killedEverywhere(MODES, ({ events }) => {
    expect(events.at(-1)).toMatchObject({
      ...{ type: "run-ended", outcome: "completed" },
      result: { output: ["DONE: polish/iteration[1]", "both", "DONE: alone", 2] },
    });
    const asked = events.flatMap((event) => (event.type === "question-asked" ? [event.id] : []));
    expect(asked).toHaveLength(1);
    expect(endsOfTasks(events)).toEqual(["#1 completed", "#2 completed"]);
  });
  expect(landings).toBeGreaterThan(10);
});

function endsOfTasks(events: readonly JournalEvent[]): readonly string[] {
  return events
    .flatMap((event) => {
      if (event.type !== "pattern-advanced" || event.kind !== "task-changed") return [];
      const { task, status } = JSON.parse(JSON.stringify(event.data));
      return status === "completed" ? [`#${task} ${status}`] : [];
    })
    .toSorted();
}
