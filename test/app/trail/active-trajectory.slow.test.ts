import { expect, test } from "vitest";
import { createActiveTrajectory } from "../../../src/app/trail/active-trajectory.ts";
import type { EventData, JournalEvent } from "../../../src/contracts/events/event.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";

const at = (data: EventData): JournalEvent => ({ ...data, seq: 1, at: 1 });
const TURN = at({
  ...{ type: "record-added", note: "n", by: "user" },
  record: { kind: "finding", text: "wet" },
});
const LOG = at({ type: "log", note: "n", level: "info", text: "x" });

/** An active trajectory whose writing takes so long, the last each time from then on. */
function writing(...costsMs: readonly number[]) {
  const clock = createManualClock();
  const startMs = clock.monotonic();
  const times: number[] = [];
  const write = async () => {
    const costMs = costsMs[times.length] ?? costsMs.at(-1) ?? 0;
    times.push(clock.monotonic() - startMs);
    if (costMs > 0) await new Promise<void>((resolve) => clock.startTimer(costMs, resolve));
  };
  return { clock, times, active: createActiveTrajectory(write, clock) };
}

test("a turn of the story is written at once, and what follows within a second together [TRJ-1.active]", async () => {
  const { clock, times, active } = writing();
  active.take([TURN]);
  for (let each = 0; each < 1000; each += 1) active.take([TURN]);
  await clock.advance(5000);
  expect(times).toEqual([0, 1000]);
  active.take([TURN]);
  await clock.advance(0);
  expect(times).toEqual([0, 1000, 5000]);
});

test("what does not change the story is not written [TRJ-1.active]", async () => {
  const { clock, times, active } = writing();
  active.take([LOG, LOG]);
  await clock.advance(5000);
  expect([times, clock.timerCount]).toEqual([[], 0]);
});

test("the longer it takes to tell a run, the rarer it is told: a fiftieth of the time at most [TRJ-1.active]", async () => {
  for (const costMs of [10, 200, 3000]) {
    const { clock, times, active } = writing(costMs);
    const tick = () => active.take([TURN]);
    for (let second = 0; second < 600; second += 1) {
      tick();
      await clock.advance(1000);
    }
    // The first and the one that is being written stand beside it.
    const spentMs = (times.length - 2) * costMs;
    expect([costMs, times.length > 2, spentMs / 600_000 <= 1 / 50]).toEqual([
      ...[costMs, true, true],
    ]);
  }
});

test("one that took long by chance does not keep the next waiting [TRJ-1.active]", async () => {
  const { clock, times, active } = writing(500, 10, 10, 800, 10);
  for (let second = 0; second < 10; second += 0.5) {
    active.take([TURN]);
    await clock.advance(500);
  }
  expect(times.slice(0, 6)).toEqual([0, 1500, 2510, 3520, 5320, 6330]);
});

test("after its end nothing is written, and it says whether something is missing in the file [TRJ-1.active]", async () => {
  const { clock, times, active } = writing(10);
  active.take([TURN]);
  active.take([TURN]);
  const closing = active.close();
  active.take([TURN]);
  await clock.advance(5000);
  expect([await closing, times, clock.timerCount]).toEqual([true, [0], 0]);
  const other = writing();
  other.active.take([TURN]);
  expect(await other.active.close()).toBe(false);
});
