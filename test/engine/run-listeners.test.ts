import { expect, test } from "vitest";
import type { StopKind } from "../../src/engine/run-listeners.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf, untilParted } from "../../src/testing/test-run.ts";

test("who listens for appended events hears each once, until it has heard enough", async () => {
  const heard: string[] = [];
  const run = createTestRun(async (context) => {
    await context.sleep(10);
    await context.sleep(10);
    return null;
  });
  const driver = run.start();
  await settle();
  const stop = driver.onAppended(({ type }) => void heard.push(type));
  await run.clock.advance(10);
  stop();
  await untilParted(driver, run.clock);
  expect(heard).toEqual(["operation-settled", "operation-scheduled"]);
});

test("replay is over for listeners before open operations start again", async () => {
  const order: string[] = [];
  const run = createTestRun(
    async (context) => {
      await context.step("work", () => order.push("work"));
      return null;
    },
    { prepare: (driver) => driver.onLive(() => void order.push("live")) },
  );
  await run.carryOut();
  expect(order).toEqual(["live", "work"]);
  const scheduledAt = run.events.findIndex(({ type }) => type === "operation-scheduled");
  await run.crashedAfter(scheduledAt + 1).carryOut();
  expect(order).toEqual(["live", "work", "live", "work"]);
});

test("quiet is told when all is durable and nothing has still to reach the program", async () => {
  const open: number[] = [];
  const run = createTestRun(
    async (context) => {
      await context.step("work", () => null);
      await context.sleep(10);
      return null;
    },
    {
      prepare: (driver) =>
        driver.onQuiet(() => {
          open.push(driver.state.operations.open.size);
          expect(run.events.at(-1)?.seq).toBe(driver.state.lastSeq);
        }),
    },
  );
  const driver = run.start();
  await settle();
  // In the pause everything is at rest: one operation waits, and nothing more is told until something happens.
  const told = open.length;
  expect(open.at(-1)).toBe(1);
  await settle();
  expect(open).toHaveLength(told);
  await untilParted(driver, run.clock);
});

test("scopes that are over are told of once that is durable", async () => {
  const over: string[] = [];
  const run = createTestRun(
    async (context) => {
      await context.scope("first", (inner) => inner.step("work", () => null)).result;
      await context.scope("second", async () => null).result;
      await context.sleep(10);
      return null;
    },
    {
      prepare: (driver) =>
        driver.onScopeOver((path) => {
          over.push(path);
          expect(run.events.at(-1)?.seq).toBe(driver.state.lastSeq);
        }),
    },
  );
  await run.carryOut();
  expect(over).toEqual(["first", "second"]);
});

test("the run is not let go before everything has ended, and what does not end is a warning, not its outcome [ENG-21.alone]", async () => {
  const stops: StopKind[] = [];
  const { promise: slow, resolve: endSlow } = Promise.withResolvers<void>();
  let isSlowOver = false;
  const run = createTestRun(async (context) => context.sleep(10).then(() => "slept"), {
    prepare: (driver) => {
      driver.onStopping(async (stop) => {
        stops.push(stop);
        if (stop === "ended") throw new Error("will not end");
      });
      driver.onStopping(() =>
        slow.then(() => {
          isSlowOver = true;
        }),
      );
    },
  });
  const driver = run.start();
  let isParted = false;
  const over = () => {
    isParted = true;
  };
  driver.parted.then(over, over);
  await run.clock.advance(10);
  expect(stops).toEqual(["ended"]);
  expect(isParted).toBe(false);
  endSlow();
  expect(await driver.parted).toMatchObject({ status: "ended", event: { outcome: "completed" } });
  expect(isSlowOver).toBe(true);
  expect(stops).toEqual(["ended"]);
  expect(run.events.filter(({ type }) => type === "log")).toMatchObject([
    {
      level: "warning",
      text: "something was not cleaned up at the end of the run: will not end",
    },
  ]);
});

test.each(["ended", "suspended"] as const)(
  "what has happened is durable before a run that is %s cleans anything up [ENG-21.commit]",
  async (stop) => {
    const found: unknown[] = [];
    const run = createTestRun(async (context) => context.sleep(10).then(() => "slept"), {
      prepare: (driver) =>
        driver.onStopping(async () => {
          found.push(run.events.at(-1)?.seq === driver.state.lastSeq);
        }),
    });
    const driver = run.start();
    if (stop === "suspended") driver.suspend("interrupted", 130);
    else await run.clock.advance(10);
    expect(await driver.parted).toMatchObject({ status: stop });
    expect(found).toEqual([true]);
  },
);

test("a text that is kept can be read before it is durable and by later owners", async () => {
  const run = createTestRun(async (context) => context.sleep(10).then(() => "slept"));
  const driver = run.start();
  const { ref, text } = driver.keepText("long text");
  expect(text).toBe("long text");
  expect(driver.textOf(ref)).toBe("long text");
  await settle();
  expect(driver.textOf(ref)).toBe("long text");
  const later = driver.keepText("later text");
  expect(driver.textOf(later.ref)).toBe("later text");
  driver.suspend("interrupted", 130);
  await driver.parted;
  const next = run.start();
  expect(next.textOf(ref)).toBe("long text");
  expect(next.textOf("f".repeat(64))).toBeUndefined();
  expect(runResultOf(await untilParted(next, run.clock))).toBe("slept");
});

test("events after a place are those that are durable and then those that are not yet", async () => {
  const run = createTestRun(async (context) => context.sleep(10).then(() => null));
  const driver = run.start();
  await settle();
  const seqsAfter = (seq: number) => [...driver.eventsAfter(seq)].map((event) => event.seq);
  expect(seqsAfter(0)).toEqual([1, 2, 3]);
  driver.append({ type: "log", note: "new", level: "info", text: "new" });
  expect(run.events).toHaveLength(3);
  expect(seqsAfter(0)).toEqual([1, 2, 3, 4]);
  expect(seqsAfter(2)).toEqual([3, 4]);
  expect(seqsAfter(3)).toEqual([4]);
  expect(seqsAfter(4)).toEqual([]);
  await untilParted(driver, run.clock);
});

test("a run that fails twice ends what has to end once, and is told the first failure", async () => {
  const reasons: unknown[] = [];
  const stops: StopKind[] = [];
  const run = createTestRun(
    async (context) =>
      context.step("work", async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        reasons.push(signal.reason);
        return null;
      }),
    {
      limits: { timeoutMs: 1000 },
      prepare: (driver) => driver.onStopping(async (stop) => void stops.push(stop)),
    },
  );
  const driver = run.start();
  await settle();
  driver.fail(new Error("first"));
  driver.fail(new Error("second"));
  await expect(driver.parted).rejects.toThrow("first");
  expect([stops, reasons]).toEqual([["suspended"], [{ kind: "suspended" }]]);
  expect(run.clock.timerCount).toBe(0);
});
