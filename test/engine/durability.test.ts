import { expect, test } from "vitest";
import { storeFull } from "../../src/journal/errors.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, dataOf, runResultOf } from "../../src/testing/test-run.ts";
import { codeOf, unhandledRejectionsOf } from "./program-parts.ts";

test("no effect begins before its schedule is durable [ENG-1]", async () => {
  const started: string[] = [];
  let release = () => {};
  const run = createTestRun(
    async (context) => {
      await context.step("work", ({ key }) => started.push(key));
      return null;
    },
    {
      append: async (_batch, append) => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return append();
      },
    },
  );
  const driver = run.start();
  await settle();
  expect([started, run.events.length]).toEqual([[], 0]);
  release();
  await settle();
  expect(started).toEqual(["run_test/step#1"]);
  release();
  await settle();
  release();
  await driver.parted;
});

test("a guarded operation writes with its schedule, and waits for both before it does anything else [ENG-1]", async () => {
  const seen: string[] = [];
  const groups: (readonly string[])[] = [];
  const run = createTestRun(
    async (context) => {
      await context.step("before", () => 1);
      await context.quiescent({ quietMs: 0 });
      return null;
    },
    {
      prepare: (driver) =>
        driver.register({
          kind: "quiescent",
          effect: "guarded",
          execute: async (_input, { attempt }) => {
            driver.append({ type: "log", note: `own#${attempt}`, level: "info", text: "begins" });
            seen.push(`begins after ${run.events.length}`);
            await driver.flushed();
            seen.push(`acts after ${run.events.length}`);
            return null;
          },
        }),
      onCommitted: (events) => groups.push(events.map(({ type }) => type)),
    },
  );
  await run.carryOut();
  expect(groups[1]).toEqual(["operation-settled", "operation-scheduled", "log"]);
  expect(seen).toEqual(["begins after 3", "acts after 6"]);
});

test("a guarded operation that starts again begins once that is durable", async () => {
  const seen: string[] = [];
  const run = createTestRun(
    async (context) => {
      await context.quiescent({ quietMs: 0 });
      return null;
    },
    {
      prepare: (driver) =>
        driver.register({
          kind: "quiescent",
          effect: "guarded",
          execute: (_input, { attempt }) => {
            seen.push(`${attempt}: ${current.events.at(-1)?.type}`);
            return null;
          },
        }),
    },
  );
  let current = run;
  await run.carryOut();
  const scheduled = run.events.findIndex(({ type }) => type === "operation-scheduled");
  current = run.crashedAfter(scheduled + 1);
  await current.carryOut();
  expect(seen).toEqual(["1: undefined", "2: operation-attempted"]);
});

test("an operation with a recorded outcome is never executed again [ENG-2]", async () => {
  const executed: string[] = [];
  const run = createTestRun(async (context) => {
    for (const name of ["a", "b", "c"]) await context.step(name, () => executed.push(name));
    return null;
  });
  await run.carryOut();
  executed.length = 0;
  // Up to the outcome of b.
  await run.crashedAfter(6).carryOut();
  expect(executed).toEqual(["c"]);
});

test("a chain of steps costs one commit each", async () => {
  let commits = 0;
  const run = createTestRun(
    async (context) => {
      for (let step = 0; step < 50; step += 1) await context.step("work", () => step);
      return null;
    },
    {
      append: (_batch, append) => {
        commits += 1;
        return append();
      },
    },
  );
  await run.carryOut();
  // The first schedule, 50 outcomes of which 49 take the next schedule along, and the end.
  expect(commits).toBe(52);
});

test("what one turn of the loop produces is one group, whatever its size", async () => {
  const groups: number[] = [];
  const run = createTestRun(
    async (context) => {
      const steps = Array.from({ length: 1000 }, (_, step) => context.step("work", () => step));
      await Promise.all(steps);
      return null;
    },
    { onCommitted: (events) => groups.push(events.length) },
  );
  await run.carryOut();
  expect(groups).toEqual([1002, 1000, 1]);
});

test("what outcomes of one moment lead to is one group", async () => {
  const groups: number[] = [];
  const run = createTestRun(
    async (context) => {
      const branch = async () => {
        await context.step("first", () => 1);
        await context.step("second", () => 2);
      };
      await Promise.all([branch(), branch(), branch()]);
      return null;
    },
    { onCommitted: (events) => groups.push(events.length) },
  );
  await run.carryOut();
  // The run and three schedules, three outcomes and what they lead to, three outcomes, the end.
  expect(groups).toEqual([5, 6, 3, 1]);
});

test("after a slow commit the next one waits for as long as it took", async () => {
  const commitsAtMs: number[] = [];
  const run = createTestRun(
    async (context) => {
      await context.step("work", () => 1);
      return null;
    },
    {
      append: async (_batch, append) => {
        await new Promise<void>((resolve) => run.clock.startTimer(40, resolve));
        commitsAtMs.push(run.clock.monotonic());
        await append();
        return 40;
      },
    },
  );
  await run.carryOut();
  expect(commitsAtMs).toEqual([40, 120, 200]);
});

test("a journal that is full stops the run at once: effects end, nobody is shown what is not durable [ENG-5, P6.full]", async () => {
  const shown: string[] = [];
  let isStopped = false;
  const run = createTestRun(
    async (context) => {
      const endless = context.step("endless", async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await settle();
        isStopped = true;
        throw signal.reason;
      });
      await context.sleep(10);
      await context.step("unseen", () => shown.push("effect"));
      await endless;
      return null;
    },
    {
      append: (batch, append) =>
        batch.events.some((event) => event.type === "operation-scheduled" && event.op === "step#2")
          ? Promise.reject(storeFull({ run: "run_test", place: "journal.db" }))
          : append(),
      onCommitted: (events) => shown.push(...events.map((event) => event.type)),
    },
  );
  const unhandled = await unhandledRejectionsOf(async () => {
    await expect(run.carryOut()).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(isStopped).toBe(true);
    await settle();
  });
  expect(unhandled).toEqual([]);
  expect(shown).toEqual(dataOf(run.events).map((event) => event.type));
  expect(run.events).toHaveLength(4);
  expect(run.clock.timerCount).toBe(0);
});

test("a run whose journal was full goes on where it stopped [P6.full]", async () => {
  let isFull = true;
  const run = createTestRun(
    async (context) => {
      const first = await context.step("first", () => 1);
      return first + (await context.step("second", () => 2));
    },
    {
      append: (batch, append) =>
        isFull && (batch.events.at(-1)?.seq ?? 0) > 4
          ? Promise.reject(storeFull({ run: "run_test", place: "journal.db" }))
          : append(),
    },
  );
  await expect(run.carryOut()).rejects.toMatchObject({ code: "STORE_FULL" });
  isFull = false;
  expect(runResultOf(await run.carryOut())).toBe(3);
});

test("an owner that has lost its lease stops and writes nothing more [ENG-4, P5]", async () => {
  const executed: number[] = [];
  const run = createTestRun(async (context) => {
    await context.sleep(1000);
    await context.step("work", ({ attempt }) => executed.push(attempt));
    await context.sleep(1000);
    return null;
  });
  const old = run.start();
  const lost = codeOf(old.parted);
  await settle();
  const next = run.start();
  await run.clock.advance(3000);
  expect(await lost).toBe("ENGINE_LEASE_LOST");
  expect((await next.parted).status).toBe("ended");
  expect(executed).toEqual([1]);
  expect(run.events.map((event) => event.seq)).toEqual(run.events.map((_, index) => index + 1));
  expect(run.clock.timerCount).toBe(0);
});

test("what was not recorded is not acknowledged", async () => {
  let isFull = false;
  const run = createTestRun(async (context) => context.sleep(100).then(() => null), {
    append: (_batch, append) =>
      isFull ? Promise.reject(storeFull({ run: "run_test", place: "journal.db" })) : append(),
  });
  const driver = run.start();
  const parted = codeOf(driver.parted);
  await settle();
  isFull = true;
  const acknowledged: string[] = [];
  driver.append({ type: "log", note: "x", level: "info", text: "lost" });
  driver.whenDurable(() => acknowledged.push("durable"));
  expect(await codeOf(driver.flushed())).toBe("ENGINE_NOT_RECORDED");
  expect(await parted).toBe("STORE_FULL");
  driver.whenDurable(() => acknowledged.push("late"));
  expect(await codeOf(driver.flushed())).toBe("ENGINE_NOT_RECORDED");
  expect(acknowledged).toEqual([]);
});

test("a listener that throws after a commit stops the run instead of the process", async () => {
  const run = createTestRun(async () => null, {
    onCommitted: () => {
      throw new Error("the view is broken");
    },
  });
  const unhandled = await unhandledRejectionsOf(async () => {
    await expect(run.carryOut()).rejects.toThrow("the view is broken");
    await settle();
  });
  expect(unhandled).toEqual([]);
});

test("who is told of an event while it is appended waits for its commit like everybody else [ENG-1]", async () => {
  const seen: string[] = [];
  const run = createTestRun(async (context) => context.sleep(1000).then(() => null), {
    prepare: (driver) =>
      void driver.onAppended((event) => {
        if (event.type !== "log") return;
        const look = (who: string) => seen.push(`${who} ${run.events.at(-1)?.seq === event.seq}`);
        driver.whenDurable(() => look("callback"));
        void driver.flushed().then(() => look("flush"));
      }),
  });
  const driver = run.start();
  await settle();
  expect(run.events.at(-1)?.type).toBe("operation-scheduled");
  driver.append({ type: "log", note: "log#1", level: "info", text: "x" });
  await settle();
  expect(seen).toEqual(["callback true", "flush true"]);
  driver.suspend("interrupted", 130);
  await driver.parted;
});
