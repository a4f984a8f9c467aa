import { expect, test } from "vitest";
import { RestartBudget } from "../../src/agents/after-turn.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

test("a session that crashes gets three restarts within any minute, and new ones as these grow old [AGT-7.crash]", async () => {
  const clock = createManualClock();
  await clock.advance(5_000_000);
  const restarts = new RestartBudget(clock);
  const taken: boolean[] = [];
  for (let count = 0; count < 4; count += 1) {
    taken.push(restarts.take());
    await clock.advance(10_000);
  }
  expect(taken).toEqual([true, true, true, false]);
  await clock.advance(19_999);
  expect(restarts.take()).toBe(false);
  await clock.advance(1);
  expect([restarts.take(), restarts.take()]).toEqual([true, false]);
  await clock.advance(10_000);
  expect([restarts.take(), restarts.take()]).toEqual([true, false]);
});
