import { getEventListeners } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { watchGrace, withinGrace } from "../../src/agents/stop-grace.ts";
import { createVirtualTime, type VirtualTime } from "../../src/foundation/virtual-time.ts";

let time: VirtualTime;
let telling: AbortController;

beforeEach(() => {
  time = createVirtualTime(0);
  telling = new AbortController();
});

/** That nothing listens or waits any more. */
function expectLetGo(): void {
  expect(time.timerCount).toBe(0);
  expect(getEventListeners(telling.signal, "abort")).toEqual([]);
}

test("work that ends by itself is what it comes to, and nothing waits for it afterwards", async () => {
  await expect(withinGrace(Promise.resolve("done"), telling.signal, time)).resolves.toBe("done");
  await expect(
    withinGrace(Promise.reject(new Error("broken")), telling.signal, time),
  ).rejects.toThrow("broken");
  expectLetGo();
});

test("work has ten seconds to end once it was told to", async () => {
  const { promise: work, resolve } = Promise.withResolvers<string>();
  const within = withinGrace(work, telling.signal, time);
  expect(time.timerCount).toBe(0);
  telling.abort("enough");
  expect(time.nextDueMs).toBe(10_000);
  resolve("just in time");
  await expect(within).resolves.toBe("just in time");
  expectLetGo();
});

test.each(["before", "later"])(
  "work that goes on after its grace is left, with the reason: told %s",
  async (when) => {
    if (when === "before") telling.abort("enough");
    const within = withinGrace(new Promise(() => {}), telling.signal, time);
    if (when === "later") telling.abort("enough");
    time.fireNext();
    await expect(within).rejects.toBe("enough");
    expectLetGo();
  },
);

test("a grace says whether it has passed, and one that was stopped never does", () => {
  const [watched, stopped] = [watchGrace(telling.signal, time), watchGrace(telling.signal, time)];
  stopped.stop();
  telling.abort("enough");
  expect(time.timerCount).toBe(1);
  expect(watched.hasPassed).toBe(false);
  time.fireNext();
  expect([watched.hasPassed, stopped.hasPassed]).toEqual([true, false]);
  watched.stop();
  expectLetGo();
});
