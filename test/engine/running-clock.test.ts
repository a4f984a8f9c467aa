import { expect, test } from "vitest";
import { RunningClock } from "../../src/engine/running-clock.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

function startClock() {
  const manual = createManualClock();
  const clock = new RunningClock(manual);
  const fired: number[] = [];
  const start = (durationMs: number) =>
    clock.startTimer(durationMs, () => void fired.push(manual.monotonic()));
  return { manual, clock, fired, start };
}

test("a timer stands with its clock and goes on with what is left [ENG-7.running]", async () => {
  const { manual, clock, fired, start } = startClock();
  start(1000);
  await manual.advance(400);
  clock.setStanding(true);
  clock.setStanding(true);
  await manual.advance(50_000);
  expect([fired, manual.timerCount]).toEqual([[], 0]);
  clock.setStanding(false);
  await manual.advance(599);
  expect(fired).toEqual([]);
  await manual.advance(1);
  expect(fired).toEqual([51_000]);
});

test("a timer that is started while the clock stands waits for it", async () => {
  const { manual, clock, fired, start } = startClock();
  clock.setStanding(true);
  start(-5);
  await manual.advance(1000);
  clock.setStanding(false);
  await manual.advance(0);
  expect(fired).toEqual([1000]);
});

test("ended timers neither fire nor stay", async () => {
  const { manual, clock, fired, start } = startClock();
  start(10).cancel();
  start(20);
  clock.setStanding(true);
  start(30);
  clock.setStanding(false);
  clock.close();
  await manual.advance(1000);
  expect([fired, manual.timerCount]).toEqual([[], 0]);
});

test("a timer that has fired or was ended does not begin again with its clock", async () => {
  const { manual, clock, fired, start } = startClock();
  start(10);
  const ended = start(20);
  await manual.advance(10);
  ended.cancel();
  clock.setStanding(true);
  clock.setStanding(false);
  await manual.advance(1000);
  expect([fired, manual.timerCount]).toEqual([[10], 0]);
});

test("a timer that was started while the clock stands can be ended before it goes on", async () => {
  const { manual, clock, fired, start } = startClock();
  clock.setStanding(true);
  start(10).cancel();
  clock.setStanding(false);
  await manual.advance(1000);
  expect(fired).toEqual([]);
});

test("what a timer has left counts from when it was started", async () => {
  const { manual, clock, fired, start } = startClock();
  await manual.advance(700);
  start(1000);
  await manual.advance(400);
  clock.setStanding(true);
  clock.setStanding(false);
  await manual.advance(600);
  expect(fired).toEqual([1700]);
});
