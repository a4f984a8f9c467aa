import { expect, test } from "vitest";
import type { StepOptions } from "../../src/contracts/ports/context.ts";
import { TroupeError } from "../../src/foundation/errors.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf } from "../../src/testing/test-run.ts";
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
  expect(run.events.filter(({ type }) => type === "operation-attempted")).toHaveLength(4);
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

test("an attempt past its deadline is told to end and tried again [ENG-7, ENG-8]", async () => {
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
  expect(reasons).toMatchObject([{ code: "ENGINE_STEP_TIMED_OUT" }]);
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
