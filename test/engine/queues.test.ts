import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { CommitQueue, type CommitQueueOptions } from "../../src/engine/commit-queue.ts";
import { DeliveryQueue } from "../../src/engine/delivery-queue.ts";
import type { LogBatch, RunLog } from "../../src/engine/ports.ts";
import type { Delivery } from "../../src/engine/recording.ts";
import { SealKeeper } from "../../src/engine/run-journal.ts";
import { RunningEffects } from "../../src/engine/running-effects.ts";
import { createManualClock, type ManualClock, settle } from "../../src/testing/manual-clock.ts";

const entry = { type: "log", note: "n", level: "info", text: "x" } as const;

const ended = { type: "session-ended", agent: "a", session: "a/main", reason: "done" } as const;
const ready = { type: "agent-ready", agent: "a", session: "a/main" } as const;

function delivery(seq: number): Delivery {
  return { type: "cancellation-requested", reason: "stop", by: "user", seq, at: 0 };
}

/** A log on a disk for which the event loop stands still this long at each commit. */
function logOfDisk(stoodStillMs: number, timers: ManualClock): RunLog {
  return {
    run: "run_q",
    append: async () => {
      await timers.advance(stoodStillMs);
      return stoodStillMs;
    },
    read: () => [],
    blob: () => undefined,
    seal: () => {},
    beginWork: () => false,
    giveUpWork: () => {},
  };
}

function createQueue(options: Partial<CommitQueueOptions> = {}) {
  const batches: LogBatch[] = [];
  const failures: unknown[] = [];
  const timers = createManualClock();
  const log: RunLog = {
    run: "run_q",
    append: async (batch) => {
      batches.push(batch);
      return 0;
    },
    read: () => [],
    blob: () => undefined,
    seal: () => {},
    beginWork: () => false,
    giveUpWork: () => {},
  };
  const queue = new CommitQueue({
    log,
    timers,
    lastSeq: 7,
    hasDeliveries: () => false,
    onAppended: () => {},
    head: () => ({ is: "head" }),
    onCommitted: () => {},
    onFailed: (error) => failures.push(error),
    ...options,
  });
  return { queue, log, batches, failures, timers };
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

test("a queue that was stopped before it was opened, or before its turn, writes nothing", async () => {
  const [unopened, opened] = [createQueue(), createQueue()];
  unopened.queue.stop();
  unopened.queue.open();
  unopened.queue.append(entry);
  opened.queue.open();
  opened.queue.append(entry);
  opened.queue.stop();
  opened.queue.append(entry);
  await settle();
  expect([unopened.batches, opened.batches]).toEqual([[], []]);
});

test("nothing is acted upon that became durable after the queue was stopped", async () => {
  const { promise: written, resolve: write } = Promise.withResolvers<number>();
  const heard: string[] = [];
  const { queue } = createQueue({
    log: { ...createQueue().log, append: () => written },
    onCommitted: () => void heard.push("committed"),
  });
  queue.open();
  queue.append(entry);
  queue.whenDurable(() => void heard.push("durable"));
  const flushed = queue.flushed();
  await settle();
  queue.stop();
  write(0);
  await expect(flushed).rejects.toMatchObject({
    code: "ENGINE_NOT_RECORDED",
    details: { run: "run_q" },
  });
  expect(heard).toEqual([]);
});

test("a queue that failed to write takes nothing more", async () => {
  let writes = 0;
  const { queue, failures } = createQueue({
    log: {
      ...createQueue().log,
      append: () => {
        writes += 1;
        return Promise.reject(new Error("no room"));
      },
    },
  });
  queue.open();
  queue.append(entry);
  await expect(queue.flushed()).rejects.toMatchObject({ code: "ENGINE_NOT_RECORDED" });
  queue.append(entry);
  await settle();
  expect([writes, failures]).toEqual([1, [new Error("no room")]]);
});

test("nothing is written for who waits while all is durable, nor after the last event", async () => {
  const { queue, batches } = createQueue();
  queue.open();
  await queue.flushed();
  expect(batches).toEqual([]);
  await queue.finish(entry);
  queue.append(entry);
  queue.addBlob("hash", "text");
  await settle();
  expect(batches).toMatchObject([{ events: [{ seq: 8 }] }]);
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
  const timers = createManualClock();
  const { queue } = createQueue({ timers, log: logOfDisk(50, timers) });
  queue.open();
  queue.append(entry);
  await queue.flushed();
  queue.append(entry);
  await settle();
  expect(timers.timerCount).toBe(1);
  queue.stop();
  expect(timers.timerCount).toBe(0);
});

test.each([
  { stoodStillMs: 2, commits: 2 },
  { stoodStillMs: 2.5, commits: 1 },
])(
  "a commit for which the loop stood still for $stoodStillMs ms lets the next one begin: $commits",
  async ({ stoodStillMs, commits }) => {
    let count = 0;
    const onCommitted = () => {
      count += 1;
    };
    const timers = createManualClock();
    const log = logOfDisk(stoodStillMs, timers);
    const { queue } = createQueue({ timers, log, onCommitted });
    queue.open();
    queue.append(entry);
    await queue.flushed();
    queue.append(entry);
    await settle(100);
    expect(count).toBe(commits);
    await timers.advance(stoodStillMs);
    await settle(100);
    expect(count).toBe(2);
    queue.stop();
  },
);

test("a queue believes no more of a log's clock than its own has seen", async () => {
  const timers = createManualClock();
  const log = { ...logOfDisk(0, timers), append: async () => 50 };
  const { queue } = createQueue({ timers, log });
  queue.open();
  for (const _ of [1, 2]) {
    queue.append(entry);
    await queue.flushed();
  }
  expect(timers.timerCount).toBe(0);
  queue.stop();
});

test("a log whose writer is elsewhere is written to again at once, however long it takes", async () => {
  let count = 0;
  const timers = createManualClock();
  const { queue } = createQueue({
    timers,
    log: {
      ...logOfDisk(0, timers),
      append: () => new Promise((resolve) => timers.startTimer(50, () => resolve(0))),
    },
    onCommitted: () => {
      count += 1;
    },
  });
  queue.open();
  queue.append(entry);
  await settle();
  await timers.advance(50);
  queue.append(entry);
  await settle();
  await timers.advance(50);
  expect(count).toBe(2);
  queue.stop();
});

test("a seal is due 5 s after the first commit since the last, and one that fails is reported", async () => {
  const timers = createManualClock();
  const failures: unknown[] = [];
  let seals = 0;
  const log = {
    run: "run_q",
    append: async () => 0,
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
  await keeper.close();
  expect([seals, timers.timerCount]).toEqual([3, 0]);
});

test("what nothing follows from rides with the next commit", async () => {
  const { queue, batches, timers } = createQueue();
  queue.open();
  queue.append(ended);
  queue.append(ready);
  await settle();
  expect([batches, queue.isClean]).toEqual([[], false]);
  queue.append(entry);
  await settle();
  expect(batches.map(({ events }) => events.map(({ type }) => type))).toEqual([
    ["session-ended", "agent-ready", "log"],
  ]);
  expect([queue.isClean, timers.timerCount]).toEqual([true, 0]);
});

test("it waits 50 ms for such a commit, then it has its own", async () => {
  const { queue, batches, timers } = createQueue();
  queue.open();
  queue.append(ended);
  await timers.advance(49);
  expect(batches).toEqual([]);
  await timers.advance(1);
  await settle();
  expect(batches.map(({ events }) => events.length)).toEqual([1]);
  expect([queue.isClean, timers.timerCount]).toEqual([true, 0]);
});

test("who waits for it makes it durable at once", async () => {
  const { queue, batches } = createQueue();
  const done: string[] = [];
  queue.open();
  queue.append(ended);
  queue.whenDurable(() => done.push("callback"));
  await settle();
  queue.append(ended);
  await queue.flushed();
  expect([batches.length, done]).toEqual([2, ["callback"]]);
});

test("a session that can be gone on with is written down at once", async () => {
  const { queue, batches } = createQueue();
  queue.open();
  queue.append({ ...ready, resume: "token" });
  await settle();
  expect(batches).toHaveLength(1);
});

test("what came during a commit and nothing follows from waits for the next one", async () => {
  const commit = Promise.withResolvers<void>();
  const groups: number[] = [];
  const { queue, timers } = createQueue({
    log: {
      run: "run_q",
      append: async ({ events }) => {
        groups.push(events.length);
        await commit.promise;
        return 0;
      },
      read: () => [],
      blob: () => undefined,
      seal: () => {},
      beginWork: () => false,
      giveUpWork: () => {},
    },
  });
  queue.open();
  queue.append(entry);
  await settle();
  queue.append(ended);
  commit.resolve();
  await settle();
  expect([groups, queue.isClean]).toEqual([[1], false]);
  await timers.advance(50);
  await settle();
  expect([groups, queue.isClean]).toEqual([[1, 1], true]);
});

test("a stopped commit queue leaves no timer behind", () => {
  const { queue, timers } = createQueue();
  queue.open();
  queue.append(ended);
  expect(timers.timerCount).toBe(1);
  queue.stop();
  expect(timers.timerCount).toBe(0);
});

test("effects have ended when the last of them has", async () => {
  const effects = new RunningEffects();
  const [first, second] = [{ stop: () => {} }, { stop: () => {} }];
  effects.add(first);
  effects.add(second);
  let isOver = false;
  const ended = effects.ended().then(() => {
    isOver = true;
  });
  effects.delete(first);
  await settle();
  expect(isOver).toBe(false);
  effects.delete(second);
  await ended;
});
