import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { readEvents, walkEvents } from "../../../src/app/runs/run-events.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { createFileMachine, recordedRun, writeRun } from "../file-machine.ts";

const RUN = "run_aaaaaa";

test("whoever walks through a run gets each event before the next one is read, up to one that was altered", async () => {
  const machine = createFileMachine();
  const recorded = recordedRun(RUN);
  await writeRun(machine, recorded);
  alter(join(machine.project.runsDirectory, RUN, "journal.db"), 12);
  const walked: JournalEvent[] = [];
  const walk = () => {
    for (const event of walkEvents(machine, RUN)) walked.push(event);
  };
  const damaged = expect.objectContaining({
    code: "STORE_CORRUPT",
    details: expect.objectContaining({ firstBadSeq: 12, intactUpTo: 11 }),
  });
  expect(walk).toThrow(damaged);
  expect(walked).toEqual(recorded.events.slice(0, 11));
  expect(() => readEvents(machine, RUN)).toThrow(damaged);
});

test("a walk that is broken off leaves no journal open", async () => {
  const machine = createFileMachine();
  await writeRun(machine, recordedRun(RUN));
  for (const { seq } of walkEvents(machine, RUN)) if (seq === 3) break;
  // Granted to the only connection that there is.
  const db = new DatabaseSync(join(machine.project.runsDirectory, RUN, "journal.db"));
  expect(db.prepare("PRAGMA locking_mode = EXCLUSIVE").get()).toBeDefined();
  expect(() => db.exec("BEGIN EXCLUSIVE; COMMIT")).not.toThrow();
  db.close();
});

function alter(path: string, seq: number): void {
  const db = new DatabaseSync(path);
  db.prepare("UPDATE events SET body = replace(body, '}', ' }') WHERE seq = ?").run(seq);
  db.close();
}
