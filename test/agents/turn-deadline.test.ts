import { expect, test } from "vitest";
import { TurnDeadline } from "../../src/agents/turn-deadline.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

/** A deadline that notes when it has fired. */
async function deadlineAfter(timeoutMs: number) {
  const clock = createManualClock();
  // A clock of a machine begins nowhere near 0.
  await clock.advance(500_000);
  const fired: number[] = [];
  const deadline = new TurnDeadline(clock, timeoutMs, () =>
    fired.push(clock.monotonic() - 500_000),
  );
  return { clock, fired, deadline };
}

test("a deadline stands as long as any of several waits lasts, and goes on with what was left [ENG-7.running]", async () => {
  const { clock, fired, deadline } = await deadlineAfter(10_000);
  await clock.advance(4000);
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const waits = [one, other].map(({ promise }) => deadline.standDuring(() => promise));
  await clock.advance(100_000);
  one.resolve("one");
  expect(await waits[0]).toBe("one");
  await clock.advance(100_000);
  expect([deadline.workedMs, clock.timerCount]).toEqual([4000, 0]);
  other.resolve("other");
  expect(await waits[1]).toBe("other");
  await clock.advance(5999);
  expect([fired, deadline.workedMs]).toEqual([[], 9999]);
  await clock.advance(1);
  expect(fired).toEqual([210_000]);
});

test("a turn that is over has no deadline any more, whoever still waits; its time is known [ENG-7.turn]", async () => {
  const { clock, fired, deadline } = await deadlineAfter(10_000);
  await clock.advance(3000);
  const wait = Promise.withResolvers<void>();
  const waiting = deadline.standDuring(() => wait.promise);
  deadline.stop();
  wait.resolve();
  await waiting;
  await clock.advance(100_000);
  expect([fired, deadline.workedMs, clock.timerCount]).toEqual([[], 3000, 0]);
});

test("without a limit the time is measured all the same, and no timer waits [ENG-7.turn]", async () => {
  const { clock, fired, deadline } = await deadlineAfter(Infinity);
  expect(clock.timerCount).toBe(0);
  await clock.advance(7000);
  expect([fired, deadline.workedMs]).toEqual([[], 7000]);
});
