import { expect, test } from "vitest";
import type { StepOptions } from "../../src/contracts/ports/context.ts";
import { TroupeError } from "../../src/foundation/errors.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf, untilParted } from "../../src/testing/test-run.ts";
import { codeOf } from "./program-parts.ts";

const retry = { initialMs: 1000, factor: 2, maxMs: 3000, jitter: 0, maxAttempts: 5 };

interface Start {
  readonly atMs: number;
  readonly attempt: number;
  readonly key: string;
}

/** A step that fails in the way given, and when it was started. */
function failingStep(options: StepOptions, fail: (attempt: number) => string | never) {
  const starts: Start[] = [];
  const run = createTestRun(async (context) => {
    const step = context.step(
      "flaky",
      ({ attempt, key }) => {
        starts.push({ atMs: run.clock.monotonic(), attempt, key });
        return fail(attempt);
      },
      options,
    );
    return step.catch(() => codeOf(step));
  });
  return { run, starts };
}

function fails(): never {
  throw new Error("no luck");
}

test("attempts are made with growing, capped pauses until one succeeds [ENG-8, P16]", async () => {
  const { run, starts } = failingStep({ retry }, (attempt) => (attempt < 5 ? fails() : "done"));
  expect(runResultOf(await run.carryOut())).toBe("done");
  const key = "run_test/step#1";
  expect(starts).toEqual([
    { atMs: 0, attempt: 1, key },
    { atMs: 1000, attempt: 2, key },
    { atMs: 3000, attempt: 3, key },
    { atMs: 6000, attempt: 4, key },
    { atMs: 9000, attempt: 5, key },
  ]);
  const again = run.events.filter((event) => event.type === "operation-attempted");
  expect(again.map(({ delayMs }) => delayMs)).toEqual([1000, 2000, 3000, 3000]);
});

test("no more attempts are made than configured [ENG-8, P16]", async () => {
  const { run, starts } = failingStep({ retry: { ...retry, maxAttempts: 3 } }, fails);
  expect(runResultOf(await run.carryOut())).toBe("ENGINE_STEP_FAILED");
  expect(starts).toHaveLength(3);
});

test("without a retry option a step is tried once", async () => {
  const { run, starts } = failingStep({}, fails);
  expect(runResultOf(await run.carryOut())).toBe("ENGINE_STEP_FAILED");
  expect(starts).toHaveLength(1);
});

test("an error that is not retryable by its code ends the attempts [ENG-8]", async () => {
  const { run, starts } = failingStep({ retry }, () => {
    throw new TroupeError({ code: "X_FINAL", message: "timeout, please retry", details: null });
  });
  expect(runResultOf(await run.carryOut())).toBe("X_FINAL");
  expect(starts).toHaveLength(1);
});

test("only failed attempts count, not those cut off by the owner's death [ENG-8]", async () => {
  const { run, starts } = failingStep({ retry: { ...retry, maxAttempts: 2 } }, fails);
  const driver = run.start();
  driver.parted.catch(() => {});
  await settle();
  // Dies during the pause after the first failure: the second attempt never began.
  expect(runResultOf(await run.carryOut())).toBe("ENGINE_STEP_FAILED");
  expect(starts.map(({ attempt }) => attempt)).toEqual([1, 3]);
});

test("an attempt past its deadline is told to end and tried again [ENG-7.step, ENG-8]", async () => {
  const reasons: unknown[] = [];
  const run = createTestRun(async (context) =>
    context.step(
      "slow",
      async ({ attempt, signal }) => {
        if (attempt === 2) return "done";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        reasons.push(signal.reason);
        return "half of it";
      },
      { retry, timeoutMs: 500 },
    ),
  );
  expect(runResultOf(await run.carryOut())).toBe("done");
  expect(reasons).toMatchObject([
    { code: "ENGINE_STEP_TIMED_OUT", details: { step: "slow", timeoutMs: 500 } },
  ]);
  expect(run.clock.monotonic()).toBe(1500);
  expect(run.clock.timerCount).toBe(0);
});

test("a function that ignores its deadline does not hold the attempt", async () => {
  const run = createTestRun(async (context) =>
    codeOf(context.step("deaf", () => new Promise<null>(() => {}), { timeoutMs: 500 })),
  );
  expect(runResultOf(await run.carryOut())).toBe("ENGINE_STEP_TIMED_OUT");
});

test("a pause between attempts ends with its scope", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = createTestRun(async (context) => {
    const scope = context.scope("retrying", (inner) =>
      inner.step("flaky", () => resolve(undefined) ?? fails(), { retry }),
    );
    await context.sleep(500);
    scope.cancel("enough");
    return codeOf(scope.result);
  });
  const parted = run.carryOut();
  await promise;
  expect(runResultOf(await parted)).toBe("ENGINE_CANCELLED");
  expect(run.clock.monotonic()).toBe(500);
  expect(run.clock.timerCount).toBe(0);
});

test("a result without a JSON form fails the step", async () => {
  const run = createTestRun(async (context) => codeOf(context.step("bad", () => Number.NaN)));
  expect(runResultOf(await run.carryOut())).toBe("VALUE_NOT_JSON");
});

test("a step with retries and without a deadline of its own takes as long as it takes", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const run = createTestRun(async (context) => context.step("long", () => promise, { retry }));
  const driver = run.start();
  await run.clock.advance(1_000_000);
  expect(run.clock.timerCount).toBe(0);
  resolve("done");
  expect(runResultOf(await untilParted(driver, run.clock))).toBe("done");
});

test("what a function with a deadline returns after it was told to stop is not taken for its result [ENG-18]", async () => {
  const run = createTestRun(async (context) =>
    context.step(
      "collect",
      async ({ attempt, signal }) => {
        if (attempt === 1)
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return signal.aborted ? "half" : "all";
      },
      { timeoutMs: 5000 },
    ),
  );
  const driver = run.start();
  await settle();
  driver.suspend("interrupted", 130);
  await driver.parted;
  expect(runResultOf(await run.carryOut())).toBe("all");
});

test("a function that finds too many files open fails its step with a code that tells so", async () => {
  const run = createTestRun(async (context) =>
    codeOf(
      context.step("open", () => {
        throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      }),
    ),
  );
  expect(runResultOf(await run.carryOut())).toBe("HOST_TOO_MANY_FILES");
});

test("owners that die do not end what only watches [ENG-2]", async () => {
  const attempts: number[] = [];
  const run = createTestRun(async (context) =>
    context.watch("outside", async ({ attempt }) => {
      attempts.push(attempt);
      return attempt < 5 ? new Promise<string>(() => {}) : "seen";
    }),
  );
  for (let owner = 0; owner < 4; owner += 1) {
    run.start().parted.catch(() => {});
    await settle();
  }
  expect(runResultOf(await run.carryOut())).toBe("seen");
  expect(attempts).toEqual([1, 2, 3, 4, 5]);
});
