import { expect, test } from "vitest";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf, untilParted } from "../../src/testing/test-run.ts";

const tooMuch = { code: "X_LIMIT", message: "too much" };
const tooLate = { code: "X_LATER", message: "too late" };

/** A run whose step ends when it is told to, and tells when it is asked to end before. */
function workingRun() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const asked: string[] = [];
  const run = createTestRun(async (context) => {
    const worked = await context.step("work", ({ signal }) => {
      signal.addEventListener("abort", () => asked.push("to end"));
      return promise;
    });
    await context.sleep(1000);
    return worked;
  });
  return { run, asked, endWork: () => resolve("worked") };
}

test("a limit that is reached ends the run at once, to be resumed [ENG-11]", async () => {
  const run = createTestRun(async (context) => {
    await context.sleep(1000);
    return "slept";
  });
  const driver = run.start();
  await settle();
  driver.stopAtLimit(tooMuch, "now");
  driver.stopAtLimit(tooLate, "now");
  expect((await driver.parted).event).toMatchObject({
    type: "run-ended",
    outcome: "limit-reached",
    reason: "too much",
    error: tooMuch,
    resumable: true,
  });
  expect(run.events.some(({ type }) => type === "operation-settled")).toBe(false);
  expect(run.clock.timerCount).toBe(0);
  expect(runResultOf(await run.carryOut())).toBe("slept");
});

test("a limit that spares what works waits for it, and the first limit counts", async () => {
  const { run, asked, endWork } = workingRun();
  const driver = run.start();
  await settle();
  driver.stopAtLimit(tooMuch, "when-still");
  driver.stopAtLimit(tooLate, "when-still");
  driver.checkRest();
  await settle();
  expect(asked).toEqual([]);
  endWork();
  expect((await driver.parted).event).toMatchObject({
    outcome: "limit-reached",
    reason: "too much",
  });
  expect(run.events.filter(({ type }) => type === "operation-settled")).toHaveLength(1);
});

test("a run with a limit that nothing works against ends when it is looked at", async () => {
  const run = createTestRun(async (context) => context.sleep(1000).then(() => null));
  const driver = run.start();
  await settle();
  driver.stopAtLimit(tooMuch, "when-still");
  await settle();
  expect(run.events.at(-1)?.type).toBe("operation-scheduled");
  driver.checkRest();
  expect((await driver.parted).event).toMatchObject({ outcome: "limit-reached" });
});

test("an operation that says that it does not work does not hold a limit up", async () => {
  const still = new Set<string>();
  const run = createTestRun(
    async (context) => context.child({ workflow: "other", input: null }).then(() => null),
    {
      prepare: (driver) =>
        driver.register({
          kind: "child",
          effect: "world",
          isStill: (op) => still.has(op),
          execute: (_input, call) =>
            new Promise((_, reject) => {
              call.signal.addEventListener("abort", () => reject(call.signal.reason));
            }),
        }),
    },
  );
  const driver = run.start();
  await settle();
  driver.stopAtLimit(tooMuch, "when-still");
  driver.checkRest();
  await settle();
  expect(driver.isStill).toBe(false);
  expect(run.events.at(-1)?.type).toBe("operation-scheduled");
  still.add("child#1");
  expect(driver.isStill).toBe(true);
  driver.checkRest();
  expect((await driver.parted).event).toMatchObject({ outcome: "limit-reached" });
});

test("an operation that does not say whether it works holds a limit up", async () => {
  const run = createTestRun(
    async (context) => context.child({ workflow: "other", input: null }).then(() => null),
    {
      prepare: (driver) =>
        driver.register({
          kind: "child",
          effect: "world",
          execute: (_input, call) =>
            new Promise((_, reject) => {
              call.signal.addEventListener("abort", () => reject(call.signal.reason));
            }),
        }),
    },
  );
  const driver = run.start();
  await settle();
  expect(driver.isStill).toBe(false);
  driver.suspend("interrupted", 130);
  await driver.parted;
});

test("a run that is done stays open for what is held, unless it was cancelled [ENG-11]", async () => {
  const heldRun = () => {
    const held = new Set(["watcher"]);
    const run = createTestRun(async (context) => context.step("work", () => "worked"), {
      prepare: (driver) => driver.holdOpen(() => held.has("watcher")),
    });
    return { held, run, driver: run.start() };
  };
  const { held, run, driver } = heldRun();
  await settle();
  expect(run.events.at(-1)?.type).toBe("operation-settled");
  held.clear();
  driver.append({ type: "log", note: "released", level: "info", text: "released" });
  expect(runResultOf(await untilParted(driver, run.clock))).toBe("worked");
  const other = heldRun();
  await settle();
  other.driver.cancel("enough", "user");
  expect((await other.driver.parted).event).toMatchObject({ outcome: "cancelled" });
});

test("a run that has failed is not held open", async () => {
  const run = createTestRun(
    async () => {
      throw new Error("no luck");
    },
    { prepare: (driver) => driver.holdOpen(() => true) },
  );
  expect((await run.carryOut()).event).toMatchObject({ outcome: "failed", reason: "no luck" });
});
