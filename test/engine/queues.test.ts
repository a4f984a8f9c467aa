import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { CommitQueue, type CommitQueueOptions } from "../../src/engine/commit-queue.ts";
import { DeliveryQueue } from "../../src/engine/delivery-queue.ts";
import type { LogBatch } from "../../src/engine/ports.ts";
import type { Delivery } from "../../src/engine/recording.ts";
import { SealKeeper } from "../../src/engine/run-journal.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";

const entry = { type: "log", note: "n", level: "info", text: "x" } as const;

function delivery(seq: number): Delivery {
  return { type: "cancellation-requested", reason: "stop", by: "user", seq, at: 0 };
}

function createQueue(options: Partial<CommitQueueOptions> = {}) {
  const batches: LogBatch[] = [];
  const failures: unknown[] = [];
  const timers = createManualClock();
  const queue = new CommitQueue({
    log: {
      run: "run_q",
      append: async (batch) => void batches.push(batch),
      read: () => [],
      blob: () => undefined,
      seal: () => {},
      beginWork: () => false,
      giveUpWork: () => {},
    },
    timers,
    lastSeq: 7,
    hasDeliveries: () => false,
    onAppended: () => {},
    head: () => ({ is: "head" }),
    onCommitted: () => {},
    onFailed: (error) => failures.push(error),
    ...options,
  });
  return { queue, batches, failures, timers };
}

test("each delivery gets the microtasks of the one before done first", async () => {
  const order: string[] = [];
  const queue = new DeliveryQueue(({ seq }) => {
    order.push(`delivered ${seq}`);
    void Promise.resolve()
      .then(() => {})
      .then(() => order.push(`settled ${seq}`));
  });
  queue.push(delivery(1));
  queue.push(delivery(2));
  expect([queue.isBusy, order]).toEqual([true, []]);
  await settle(3);
  expect(order).toEqual(["delivered 1", "settled 1", "delivered 2", "settled 2"]);
  expect(queue.isBusy).toBe(false);
});

test("a stopped delivery queue delivers nothing more", async () => {
  const delivered: number[] = [];
  const queue = new DeliveryQueue(({ seq }) => {
    delivered.push(seq);
    queue.stop();
  });
  queue.push(delivery(1));
  queue.push(delivery(2));
  await settle(3);
  queue.push(delivery(3));
  await settle(3);
  expect([delivered, queue.isBusy]).toEqual([[1], false]);
});

test("nothing is written before the queue is opened, then all of it as one group", async () => {
  const { queue, batches } = createQueue();
  const done: string[] = [];
  queue.append(entry);
  queue.addBlob("hash", "text");
  queue.whenDurable(() => done.push("durable"));
  await settle();
  expect([batches, done, queue.isClean]).toEqual([[], [], false]);
  queue.open();
  queue.append(entry);
  await queue.flushed();
  expect(batches).toMatchObject([
    { events: [{ seq: 8 }, { seq: 9 }], head: { is: "head" }, blobs: { hash: "text" } },
  ]);
  expect([done, queue.isClean]).toEqual([["durable"], true]);
});

test("who waits for what can no longer be recorded is told so", async () => {
  const { queue } = createQueue();
  queue.append(entry);
  const flushed = queue.flushed();
  queue.stop();
  await expect(flushed).rejects.toMatchObject({ code: "ENGINE_NOT_RECORDED" });
  await expect(queue.flushed()).rejects.toMatchObject({ code: "ENGINE_NOT_RECORDED" });
});

test("a callback for what is durable already is called at once", () => {
  const { queue } = createQueue();
  const done: string[] = [];
  queue.open();
  queue.whenDurable(() => done.push("now"));
  expect(done).toEqual(["now"]);
});

test("a commit lets waiting deliveries go first, unless the group grows too large", async () => {
  let waiting = true;
  const { queue, batches } = createQueue({ hasDeliveries: () => waiting });
  queue.open();
  queue.append(entry);
  await settle();
  expect(batches).toEqual([]);
  for (let count = 1; count < 4096; count += 1) queue.append(entry);
  await settle(2);
  expect(batches.map(({ events }) => events.length)).toEqual([4096]);
  queue.append(entry);
  waiting = false;
  await settle(2);
  expect(batches.map(({ events }) => events.length)).toEqual([4096, 1]);
});

test("events that listeners append come after the one that they heard", async () => {
  const heard: number[] = [];
  const { queue, batches } = createQueue({
    onAppended: (event: JournalEvent) => {
      heard.push(event.seq);
      if (event.seq === 8) queue.append(entry);
    },
  });
  queue.open();
  queue.append(entry);
  await queue.flushed();
  expect(heard).toEqual([8, 9]);
  expect(batches[0]?.events.map(({ seq }) => seq)).toEqual([8, 9]);
});

test("the pause after a slow commit leaves no timer behind", async () => {
  const { queue, timers } = createQueue({ log: slowLog(() => timers.advance(0)) });
  queue.open();
  queue.append(entry);
  await settle();
  await timers.advance(50);
  queue.append(entry);
  await settle();
  expect(timers.timerCount).toBe(1);
  queue.stop();
  expect(timers.timerCount).toBe(0);
  function slowLog(touch: () => unknown) {
    return {
      run: "run_q",
      append: () => {
        touch();
        return new Promise<void>((resolve) => timers.startTimer(50, resolve));
      },
      read: () => [],
      blob: () => undefined,
      seal: () => {},
      beginWork: () => false,
      giveUpWork: () => {},
    };
  }
});

test("a seal is due 5 s after the first commit since the last, and one that fails is reported", async () => {
  const timers = createManualClock();
  const failures: unknown[] = [];
  let seals = 0;
  const log = {
    run: "run_q",
    append: async () => {},
    read: () => [],
    blob: () => undefined,
    beginWork: () => false,
    giveUpWork: () => {},
    seal: () => {
      seals += 1;
      if (seals === 2) throw new Error("disk");
    },
  };
  const keeper = new SealKeeper(log, timers, (error) => failures.push(error));
  keeper.committed();
  await timers.advance(3000);
  keeper.committed();
  expect(seals).toBe(0);
  await timers.advance(2000);
  expect([seals, timers.timerCount]).toEqual([1, 0]);
  keeper.committed();
  await timers.advance(5000);
  expect(failures).toMatchObject([{ message: "disk" }]);
  keeper.committed();
  keeper.close();
  expect([seals, timers.timerCount]).toEqual([3, 0]);
});
