import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import { createTestRun, type TestProgram } from "../../src/testing/test-run.ts";

const original: TestProgram = async (context) => {
  await context.step("build", () => 1);
  await context.sleep(1000);
  await context.step("test", () => 2);
  return null;
};

/** The journal of a crash before the end, as another program finds it. */
async function recorded(): Promise<readonly JournalEvent[]> {
  const run = createTestRun(original);
  await run.carryOut();
  return run.events.slice(0, -1);
}

async function mismatch(program: TestProgram) {
  const events = await recorded();
  const executed: string[] = [];
  const run = createTestRun((context: Context) => program(context), {
    events,
    prepare: (driver) =>
      driver.register({
        kind: "child",
        effect: "world",
        execute: (_input, call) => executed.push(call.op),
      }),
  });
  const error = await run.carryOut().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(run.events).toEqual(events);
  expect(executed).toEqual([]);
  expect(run.clock.timerCount).toBe(0);
  return error;
}

const code = "ENGINE_NONDETERMINISM";

test("another input is found, named and nothing is written [ENG-3, P4.replay]", async () => {
  expect(
    await mismatch(async (context) => {
      await context.step("build", () => 1);
      await context.sleep(2000);
      return null;
    }),
  ).toMatchObject({
    code,
    details: {
      op: "sleep#1",
      recorded: 'sleep "sleep#1" {"durationMs":1000}',
      asked: 'sleep "sleep#1" {"durationMs":2000}',
    },
  });
});

test("another kind is found [ENG-3, P4.replay]", async () => {
  expect(
    await mismatch(async (context) => {
      await context.sleep(1);
      return null;
    }),
  ).toMatchObject({
    code,
    details: {
      op: "step#1",
      recorded: 'step "step#1" {"name":"build"}',
      asked: 'sleep "sleep#1" {"durationMs":1}',
    },
  });
});

test("an operation that is not asked for any more is found when replay ends [ENG-3, P4.replay]", async () => {
  expect(
    await mismatch(async (context) => {
      await context.step("build", () => 1);
      return null;
    }),
  ).toMatchObject({ code, details: { op: "sleep#1", asked: "nothing yet" } });
});

test("a program that stops asking before the last open operation is found [ENG-3, P4.replay]", async () => {
  const events = (await recorded()).slice(0, 5);
  const run = createTestRun(async (context) => context.step("build", () => 1), { events });
  await expect(run.carryOut()).rejects.toMatchObject({
    code,
    details: { op: "sleep#1", recorded: 'sleep "sleep#1" {"durationMs":1000}', asked: "nothing" },
  });
  expect(run.events).toEqual(events);
});

test("an operation in between is found [ENG-3, P4.replay]", async () => {
  expect(
    await mismatch(async (context) => {
      await context.step("build", () => 1);
      await context.child({ workflow: "new", input: null });
      await context.sleep(1000);
      return null;
    }),
  ).toMatchObject({ code, details: { op: "sleep#1", asked: expect.stringContaining("child#1") } });
});

test("another scope is found [ENG-3, P4.replay]", async () => {
  expect(
    await mismatch((context) => context.scope("moved", (inner) => original(inner)).result),
  ).toMatchObject({
    code,
    details: { op: "step#1", asked: expect.stringContaining("moved/step#1") },
  });
});

test("a long input is shown by its beginning", async () => {
  const program =
    (text: string): TestProgram =>
    async (context) => {
      await context.step(text.repeat(500), () => 1);
      await context.sleep(1);
      return null;
    };
  const run = createTestRun(program("a"));
  await run.carryOut();
  const changed = createTestRun(program("b"), { events: run.events.slice(0, 4) });
  const error: unknown = await changed.carryOut().catch((thrown: unknown) => thrown);
  expect(String(error).length).toBeLessThan(700);
});

test("a run that is over is not started again", async () => {
  const run = createTestRun(original);
  await run.carryOut();
  const { events } = run;
  expect(() => run.start()).toThrowError(
    expect.objectContaining({
      code: "ENGINE_RUN_OVER",
      details: { run: "run_test", outcome: "completed" },
    }),
  );
  expect(run.events).toEqual(events);
});
