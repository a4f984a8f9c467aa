import { expect, test } from "vitest";
import { startAwakeTimer } from "../../src/foundation/awake-timer.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

test("a timer fires after its time [AGT-7.opening]", async () => {
  const clock = createManualClock();
  let fired = 0;
  startAwakeTimer(clock, 60_000, () => {
    fired += 1;
  });
  await clock.advance(59_999);
  expect(fired).toBe(0);
  await clock.advance(1);
  expect(fired).toBe(1);
  await clock.advance(600_000);
  expect(fired).toBe(1);
});

test("a timer that is cancelled does not fire, whichever part of it runs [AGT-7.opening]", async () => {
  const clock = createManualClock();
  let fired = 0;
  const timer = startAwakeTimer(clock, 60_000, () => {
    fired += 1;
  });
  await clock.advance(30_000);
  timer.cancel();
  await clock.advance(600_000);
  expect(fired).toBe(0);
});

test("of the time in which the process was frozen at most a tenth of the delay is counted [AGT-7.opening]", () => {
  // Each timer fires as if the process had been frozen for a minute meanwhile.
  const delays: number[] = [];
  const due: (() => void)[] = [];
  const clock = {
    startTimer: (delayMs: number, fire: () => void) => {
      delays.push(delayMs);
      due.push(fire);
      return { cancel: () => {} };
    },
  };
  let fired = 0;
  startAwakeTimer(clock, 60_000, () => {
    fired += 1;
  });
  due.shift()?.();
  expect({ fired, delays }).toEqual({ fired: 0, delays: [6000, 6000] });
});
