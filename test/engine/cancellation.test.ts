import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, untilParted } from "../../src/testing/test-run.ts";
import { codeOf } from "./program-parts.ts";

test("a cancelled run ends as cancelled with the reason, and starts nothing more [ENG-6, ENG-11]", async () => {
  const executed: string[] = [];
  const messages: string[] = [];
  const run = createTestRun(async (context) => {
    await context.sleep(60_000).catch((error: unknown) => {
      messages.push(String(error));
      throw error;
    });
    await context.step("late", () => executed.push("late"));
    return null;
  });
  const driver = run.start();
  await run.clock.advance(10);
  driver.cancel("not needed any more", "user");
  driver.cancel("again", "user");
  const { event } = await untilParted(driver, run.clock);
  expect(event).toMatchObject({
    type: "run-ended",
    outcome: "cancelled",
    reason: "not needed any more",
    resumable: false,
  });
  expect(executed).toEqual([]);
  expect(messages).toEqual([expect.stringContaining("not needed any more")]);
  expect(run.events.filter(({ type }) => type === "cancellation-requested")).toHaveLength(1);
  expect(run.clock.timerCount).toBe(0);
});

test("a cancelled run is not over before its effects have ended [ENG-6]", async () => {
  let end = () => {};
  const run = createTestRun(async (context) =>
    context.step(
      "stubborn",
      () =>
        new Promise<null>((resolve) => {
          end = () => resolve(null);
        }),
    ),
  );
  const driver = run.start();
  await settle();
  driver.cancel("stop", "user");
  await run.clock.advance(100_000);
  expect(run.events.at(-1)?.type).toBe("operation-settled");
  end();
  expect((await driver.parted).event).toMatchObject({ outcome: "cancelled" });
});

test("shielded scopes may clean up after a cancellation", async () => {
  const done: string[] = [];
  const run = createTestRun(async (context) => {
    try {
      await context.sleep(60_000);
    } finally {
      await context.scope(
        "cleanup",
        async (inner) => {
          await inner.sleep(1000);
          await inner.step("remove", () => done.push(`removed at ${context.now()}`));
        },
        { shielded: true },
      ).result;
    }
    return null;
  });
  const driver = run.start();
  await run.clock.advance(500);
  driver.cancel("stop", "user");
  await untilParted(driver, run.clock);
  expect(done).toHaveLength(1);
});

test.each<{ name: string; wait: (deep: Context) => Promise<unknown>; durationMs: number }>([
  { name: "that sleeps", wait: (deep) => deep.sleep(1_000_000), durationMs: 6000 },
  // What the run waits for people is no running time, but time for cleaning up.
  {
    name: "that waits for a person",
    wait: (deep) => deep.approval({ message: "?" }),
    durationMs: 0,
  },
])(
  "cleaning up $name ends with its time, which no end of an owner renews [ENG-6]",
  async ({ wait, durationMs }) => {
    const cleanupOf = (cleanupMs: number) =>
      createTestRun(
        async (context) => {
          const forever = context.scope(
            "cleanup",
            async (inner) => {
              for (;;) {
                await inner.scope("again", (deep) => wait(deep), { shielded: true }).result;
              }
            },
            { shielded: true },
          );
          return codeOf(forever.result);
        },
        { cleanupMs },
      );
    const run = cleanupOf(5000);
    const driver = run.start();
    await run.clock.advance(1000);
    driver.cancel("stop", "user");
    await run.clock.advance(3000);
    driver.suspend("interrupted", 130);
    await driver.parted;
    await run.clock.advance(70_000);
    const resumed = run.start();
    await run.clock.advance(1999);
    expect(run.events.at(-1)?.type).toBe("run-resumed");
    await run.clock.advance(1);
    const { event } = await resumed.parted;
    expect(event).toMatchObject({ outcome: "cancelled", reason: "stop", durationMs });
    expect(run.clock.timerCount).toBe(0);
  },
);

test("a cancellation reaches the program at the same place in a replay [ENG-3]", async () => {
  const seen: (readonly string[])[] = [];
  const run = createTestRun(async (context) => {
    const order: string[] = [];
    seen.push(order);
    const follow = (name: string, sleeping: Promise<void>) =>
      codeOf(sleeping).then((code) => order.push(`${name} ${code}`));
    await Promise.all([
      follow("a", context.sleep(100)),
      follow("b", context.sleep(300)),
      follow("c", context.scope("c", (inner) => inner.sleep(200)).result),
    ]);
    return order;
  });
  const driver = run.start();
  await run.clock.advance(150);
  driver.cancel("stop", "user");
  await untilParted(driver, run.clock);
  const expected = ["a ok", "b ENGINE_CANCELLED", "c ENGINE_CANCELLED"];
  expect(seen).toEqual([expected]);
  for (let count = 2; count < run.events.length; count += 1) {
    const resumed = run.crashedAfter(count).start();
    // Before the request was recorded there is none.
    if (run.events.slice(0, count).some(({ type }) => type === "cancellation-requested")) {
      await resumed.parted;
      expect(seen.at(-1)).toEqual(expected);
    } else resumed.fail(new Error("over"));
    await codeOf(resumed.parted);
  }
});

test("a cancelled program that hangs on a promise of its own does not keep the run from ending", async () => {
  const run = createTestRun(async (context) => {
    await codeOf(context.sleep(1000));
    return new Promise(() => {});
  });
  const driver = run.start();
  await settle();
  driver.cancel("stop", "user");
  expect((await untilParted(driver, run.clock)).event).toMatchObject({ outcome: "cancelled" });
});

test("a cancellation that comes while a run ends leaves no time for cleaning up behind", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = createTestRun(async () => null, {
    prepare: (driver) => driver.onStopping(() => promise),
  });
  const driver = run.start();
  await settle();
  const before = run.clock.timerCount;
  driver.cancel("stop", "user");
  await settle();
  expect(run.clock.timerCount).toBe(before + 1);
  resolve();
  expect((await driver.parted).event).toMatchObject({ outcome: "cancelled" });
  expect(run.clock.timerCount).toBe(0);
});

test("a cancellation that is asked for from a listener keeps the order of the journal", async () => {
  const run = createTestRun(
    async (context) => {
      const order: string[] = [];
      const follow = (name: string, promise: Promise<unknown>) =>
        codeOf(promise).then((code) => order.push(`${name} ${code}`));
      await Promise.all([
        follow(
          "step",
          context.step("quick", () => 1),
        ),
        follow("sleep", context.sleep(1000)),
      ]);
      context.log("info", order.join(", "));
      return null;
    },
    {
      prepare: (driver) =>
        driver.onAppended((event) => {
          if (event.type === "operation-settled") driver.cancel("guard", "guard");
        }),
    },
  );
  await run.carryOut();
  expect(run.events.find((event) => event.type === "log")).toMatchObject({
    text: "step ok, sleep ENGINE_CANCELLED",
  });
});
