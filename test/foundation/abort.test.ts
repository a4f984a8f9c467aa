import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { delay, rejectOnAbort } from "../../src/foundation/abort.ts";
import { createVirtualTime } from "../../src/foundation/virtual-time.ts";

test("a wait ends with its time and listens to nobody afterwards", async () => {
  const time = createVirtualTime(0);
  const aborting = new AbortController();
  const waiting = delay(time, 500, aborting.signal);
  expect(time.nextDueMs).toBe(500);
  time.fireNext();
  await waiting;
  expect(time.timerCount).toBe(0);
  expect(getEventListeners(aborting.signal, "abort")).toEqual([]);
  aborting.abort();
  await waiting;
});

test("a wait that is aborted rejects with the reason and leaves no timer behind", async () => {
  const time = createVirtualTime(0);
  const aborting = new AbortController();
  const waiting = delay(time, 500, aborting.signal);
  aborting.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  expect(time.timerCount).toBe(0);
  await expect(delay(time, 500, AbortSignal.abort("early"))).rejects.toBe("early");
  expect(time.timerCount).toBe(0);
});

test("a race with a signal is lost at its abort, at once when that has been, and never after it is stopped", async () => {
  const aborting = new AbortController();
  const { promise } = rejectOnAbort(aborting.signal);
  const stopped = rejectOnAbort(aborting.signal);
  stopped.stop();
  expect(getEventListeners(aborting.signal, "abort")).toHaveLength(1);
  aborting.abort("enough");
  await expect(promise).rejects.toBe("enough");
  await expect(Promise.race([stopped.promise, Promise.resolve("still")])).resolves.toBe("still");
  const late = rejectOnAbort(AbortSignal.abort("early"));
  await expect(late.promise).rejects.toBe("early");
  late.stop();
});
