import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../src/foundation/clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([1, 2_147_483_647, 2_147_483_648, 5_000_000_000])(
  "a timer of %d ms fires once, then and not before",
  (delayMs) => {
    let fired = 0;
    systemClock.startTimer(delayMs, () => {
      fired += 1;
    });
    vi.advanceTimersByTime(delayMs - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
    vi.advanceTimersByTime(10_000_000_000);
    expect([fired, vi.getTimerCount()]).toEqual([1, 0]);
  },
);

test("a timer that is cancelled never fires, in whichever part of its time", () => {
  for (const passedMs of [0, 3_000_000_000]) {
    const timer = systemClock.startTimer(5_000_000_000, () => {
      throw new Error("fired");
    });
    vi.advanceTimersByTime(passedMs);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  }
});

test("a time that is over already fires at the next occasion", () => {
  let isFired = false;
  systemClock.startTimer(-5, () => {
    isFired = true;
  });
  expect(isFired).toBe(false);
  vi.advanceTimersByTime(0);
  expect(isFired).toBe(true);
});

test("it tells the time of the day and, beside it, a time that only goes on", () => {
  const [now, monotonic] = [systemClock.now(), systemClock.monotonic()];
  vi.advanceTimersByTime(250);
  expect([systemClock.now() - now, systemClock.monotonic() - monotonic]).toEqual([250, 250]);
  vi.setSystemTime(0);
  expect([systemClock.now(), systemClock.monotonic() - monotonic]).toEqual([0, 250]);
});
