import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { readEvents, walkBack, walkEvents } from "../../../src/app/runs/run-events.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import type { Journal } from "../../../src/contracts/ports/store.ts";
import { damageEvent } from "../../journal/alter-journal.ts";
import { createFileMachine, longRun, recordedRun, writeRun } from "../file-machine.ts";

const RUN = "run_aaaaaa";

test("whoever walks through a run gets each event before the next one is read, up to one that was altered", async () => {
  const machine = createFileMachine();
  const recorded = recordedRun(RUN);
  await writeRun(machine, recorded);
  damageEvent(join(machine.project.runsDirectory, RUN, "journal.db"), 12);
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

test("a run is walked back from its end, and no more of it is read than a part", async () => {
  const machine = createFileMachine();
  const long = longRun(RUN, 2000);
  await writeRun(machine, long);
  expect([...walkBack(machine, RUN)]).toEqual(long.events.toReversed());
  const { watched, read } = countingReads(machine);
  const walked: number[] = [];
  for (const { seq } of walkBack(watched, RUN)) if (walked.push(seq) === 10) break;
  expect(walked).toEqual([2000, 1999, 1998, 1997, 1996, 1995, 1994, 1993, 1992, 1991]);
  expect(read.size).toBeLessThan(300);
  damageEvent(join(machine.project.runsDirectory, RUN, "journal.db"), 1000);
  const back: number[] = [];
  expect(() => {
    for (const { seq } of walkBack(machine, RUN)) back.push(seq);
  }).toThrow(expect.objectContaining({ code: "STORE_CORRUPT" }));
  expect(back.at(-1)).toBeGreaterThan(1000);
});

/** A machine that notes the seq of every event that is read from its store. */
function countingReads(machine: Machine): {
  readonly watched: Machine;
  readonly read: ReadonlySet<number>;
} {
  const read = new Set<number>();
  const { store } = machine;
  const open = (run: string, mode: "read" | "write"): Journal => {
    const journal = store.open(run, mode);
    return new Proxy(journal, {
      get: (_, name) => {
        if (name === "read") return (afterSeq?: number) => noting(journal.read(afterSeq), read);
        const member: unknown = Reflect.get(journal, name);
        return typeof member === "function" ? member.bind(journal) : member;
      },
    });
  };
  return { watched: { ...machine, store: { ...store, open } }, read };
}

function* noting(events: Iterable<JournalEvent>, read: Set<number>): Generator<JournalEvent> {
  for (const event of events) {
    read.add(event.seq);
    yield event;
  }
}
