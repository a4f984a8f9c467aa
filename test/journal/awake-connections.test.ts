import { expect, test, vi } from "vitest";
import { AwakeConnections } from "../../src/journal/awake-connections.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

test("more than sixteen that are awake are looked at twice a second, and sixteen are not", async () => {
  const clock = createManualClock();
  const awake = new AwakeConnections(clock);
  const lookedAt = vi.fn();
  const all = Array.from({ length: 17 }, () => ({ lookedAt, comeToRest: () => {} }));
  for (const connection of all.slice(1)) awake.add(connection);
  await clock.advance(5000);
  expect(lookedAt).not.toHaveBeenCalled();
  for (const connection of all.slice(0, 1)) awake.add(connection);
  await clock.advance(499);
  expect(lookedAt).not.toHaveBeenCalled();
  await clock.advance(501);
  expect(lookedAt).toHaveBeenCalledTimes(2 * all.length);
  for (const connection of all.slice(0, 1)) awake.delete(connection);
  expect(clock.timerCount).toBe(0);
});

test("they come to rest one after the other, for a fifth of the time of their process", async () => {
  const clock = createManualClock();
  let spentMs = 0;
  const awake = new AwakeConnections({ ...clock, monotonic: () => clock.monotonic() + spentMs });
  const rests: number[] = [];
  const comeToRest = () => {
    rests.push(clock.monotonic());
    spentMs += rests.length === 1 ? 1 : 50;
  };
  const startMs = clock.monotonic();
  for (let number = 0; number < 3; number += 1)
    awake.restInTurn({ lookedAt: () => {}, comeToRest });
  await clock.advance(10_000);
  expect(rests.map((atMs) => atMs - startMs)).toEqual([0, 10, 210]);
  expect(clock.timerCount).toBe(0);
});
