import { expect, test } from "vitest";
import { createVirtualTime } from "../../src/foundation/virtual-time.ts";

test("timers fire one by one in the order of their time, equal ones in the order of their start", () => {
  const time = createVirtualTime(1000);
  const fired: string[] = [];
  const start = (name: string, delayMs: number) =>
    time.startTimer(delayMs, () => fired.push(`${name} at ${time.monotonic()}`));
  start("late", 30);
  start("first", 10);
  const cancelled = start("cancelled", 5);
  start("second", 10);
  start("past", -5);
  cancelled.cancel();
  expect([time.timerCount, time.nextDueMs]).toEqual([4, 0]);
  while (time.fireNext());
  expect(fired).toEqual(["past at 0", "first at 10", "second at 10", "late at 30"]);
  expect([time.now(), time.timerCount, time.nextDueMs, time.fireNext()]).toEqual([
    1030,
    0,
    undefined,
    false,
  ]);
});

test("time that is moved on fires nothing and never goes back; what is overdue fires at the time it is", () => {
  const time = createVirtualTime(0);
  const fired: number[] = [];
  time.startTimer(10, () => fired.push(time.monotonic()));
  time.moveTo(25);
  time.moveTo(20);
  expect([time.monotonic(), time.now(), fired]).toEqual([25, 25, []]);
  expect(time.fireNext()).toBe(true);
  expect([fired, time.monotonic()]).toEqual([[25], 25]);
});

test("a jump of the calendar clock is seen by nothing that measures durations", () => {
  const time = createVirtualTime(1000);
  time.startTimer(10, () => {});
  time.jump(500);
  time.jump(-700);
  time.moveTo(5);
  expect([time.now(), time.monotonic(), time.nextDueMs]).toEqual([805, 5, 10]);
});
