import { expect, test } from "vitest";
import { TroupeError } from "../../src/foundation/errors.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import {
  createTestRun,
  dataOf,
  runResultOf,
  type TestProgram,
  untilParted,
} from "../../src/testing/test-run.ts";
import { codeOf, postHandler, unhandledRejectionsOf } from "./program-parts.ts";

async function resultOfProgram(program: TestProgram) {
  return runResultOf(await createTestRun(program, { prepare: postHandler }).carryOut());
}

test("Promise.all over steps and sleeps takes the longest of them, in virtual time [ENG-10]", async () => {
  const run = createTestRun(async (context) => {
    const values = await Promise.all([
      context.step("a", () => 1),
      context.sleep(60_000).then(() => 2),
      context.step("b", async () => 3),
    ]);
    return [...values, context.now() - Date.UTC(2026, 0, 1)];
  });
  expect(runResultOf(await run.carryOut())).toEqual([1, 2, 3, 60_000]);
});

test("a race is won by what comes first and cancels nothing by itself", async () => {
  const done: string[] = [];
  const result = await resultOfProgram(async (context) => {
    const slow = context.sleep(2000).then(() => done.push("slow"));
    const winner = await Promise.race([slow, context.sleep(1000).then(() => "fast")]);
    await slow;
    return winner;
  });
  expect([result, done]).toEqual(["fast", ["slow"]]);
});

test("operations are named by scope path, kind and ordinal", async () => {
  const run = createTestRun(async (context) => {
    await context.step("first", () => null);
    const branch = (name: string) =>
      context.scope(name, async (inner) => {
        await inner.step("work", () => null);
        await inner.scope("deep", (deep) => deep.sleep(1)).result;
      }).result;
    await Promise.all([branch("worker"), branch("worker"), branch("a/b#2")]);
    return null;
  });
  await run.carryOut();
  const ops = run.events.flatMap((event) => (event.type === "operation-scheduled" ? event.op : []));
  expect(ops).toEqual([
    "step#1",
    "worker/step#1",
    "worker#2/step#1",
    "a%2Fb%232/step#1",
    "worker/deep/sleep#1",
    "worker#2/deep/sleep#1",
    "a%2Fb%232/deep/sleep#1",
  ]);
});

test("a scope past its deadline is cancelled and rejects with ENGINE_TIMED_OUT [ENG-7.outer]", async () => {
  let reason: unknown;
  const run = createTestRun(async (context) => {
    const scope = context.scope(
      "slow",
      (inner) =>
        inner.step("work", async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          reason = signal.reason;
          return null;
        }),
      { timeoutMs: 5000 },
    );
    return codeOf(scope.result);
  });
  expect(runResultOf(await run.carryOut())).toBe("ENGINE_TIMED_OUT");
  expect(reason).toEqual({ kind: "cancelled", reason: '"slow" reached its deadline' });
});

test("cancelling a scope settles its operations and those below, but not its siblings", async () => {
  const result = await resultOfProgram(async (context) => {
    const doomed = context.scope(
      "doomed",
      (inner) => inner.scope("deep", (deep) => deep.sleep(1000)).result,
    );
    const sibling = context.scope("sibling", (inner) => inner.sleep(1000));
    doomed.cancel("enough");
    return [await codeOf(doomed.result), await codeOf(sibling.result)];
  });
  expect(result).toEqual(["ENGINE_CANCELLED", "ok"]);
});

test("what a cancelled or finished scope asks for is refused without being journaled", async () => {
  const run = createTestRun(async (context) => {
    const codes: string[] = [];
    const scope = context.scope("over", async (inner) => inner);
    const inner = await scope.result;
    codes.push(await codeOf(inner.step("late", () => null)));
    codes.push(await codeOf(inner.scope("later", (deep) => deep.sleep(1)).result));
    return codes;
  });
  expect(runResultOf(await run.carryOut())).toEqual(["ENGINE_CANCELLED", "ENGINE_CANCELLED"]);
  expect(run.events.some((event) => event.type === "operation-scheduled")).toBe(false);
});

test("next hands out the facts since the subscription one by one, then times out", async () => {
  const result = await resultOfProgram(async (context) => {
    await context.post({ text: "before" });
    const subscription = context.subscribe({ kinds: ["message"] });
    await context.post({ text: "one" });
    await context.post({ text: "two" });
    const texts: string[] = [];
    for (;;) {
      const fact = await context.next(subscription, { timeoutMs: 1000 });
      if (fact?.type !== "message-posted") return texts;
      texts.push(fact.text);
    }
  });
  expect(result).toEqual(["one", "two"]);
});

test("a fact that an operation waits for is durable together with the outcome", async () => {
  const groups: string[][] = [];
  const run = createTestRun(
    async (context) => {
      await context.next(context.subscribe({ kinds: ["message"] }));
      return null;
    },
    {
      prepare: postHandler,
      onCommitted: (events) => groups.push(events.map((event) => event.type)),
    },
  );
  const driver = run.start();
  await settle();
  driver.append({
    type: "message-posted",
    id: "m",
    from: "user",
    text: "hi",
    mentions: [],
    signals: [],
  });
  await untilParted(driver, run.clock);
  expect(groups).toContainEqual(["message-posted", "operation-settled"]);
});

test("what waits for running time goes on where an earlier owner left off", async () => {
  const run = createTestRun(async (context) => {
    await context.next(context.subscribe({ kinds: ["message"] }), { timeoutMs: 10_000 });
    return context.now() - Date.UTC(2026, 0, 1);
  });
  const driver = run.start();
  await run.clock.advance(4000);
  driver.suspend("interrupted", 130);
  await driver.parted;
  await run.clock.advance(50_000);
  expect(runResultOf(await run.carryOut())).toBe(60_000);
});

test("random numbers, ids and the time replay the same, and differ between seeds and scopes [ENG-10]", async () => {
  const program: TestProgram = async (context) => {
    const draw = (from: typeof context) => [from.random(), from.random(), from.newId("x")];
    await context.sleep(10);
    const inner = await context.scope("inner", async (branch) => draw(branch)).result;
    return { outer: draw(context), inner, at: context.now() };
  };
  const run = createTestRun(program);
  const result = runResultOf(await run.carryOut());
  const replay = run.crashedAfter(run.events.length - 1);
  expect(runResultOf(await replay.carryOut())).toEqual(result);
  const other = runResultOf(await createTestRun(program, { seed: "other" }).carryOut());
  expect(other).not.toEqual(result);
  expect(result).not.toMatchObject({ inner: Object(result)["outer"] });
});

test("notes are written once, also by a replay", async () => {
  const run = createTestRun(async (context) => {
    context.log("info", "one");
    await context.sleep(1);
    context.log("warning", "two");
    await context.sleep(1);
    return null;
  });
  await run.carryOut();
  const logs = (events: typeof run.events) =>
    dataOf(events.filter((event) => event.type === "log"));
  for (let count = 2; count < run.events.length; count += 1) {
    const resumed = run.crashedAfter(count);
    await resumed.carryOut();
    expect(logs(resumed.events)).toEqual(logs(run.events));
  }
});

test("a program that throws fails the run with its error [ENG-11]", async () => {
  const parting = await createTestRun(async (context) =>
    context.step("broken", () => {
      throw new Error("no luck");
    }),
  ).carryOut();
  expect(parting.event).toMatchObject({
    type: "run-ended",
    outcome: "failed",
    reason: 'step "broken" failed: no luck',
    resumable: false,
    exitCode: 1,
    error: { code: "ENGINE_STEP_FAILED" },
  });
});

test("errors reach the program as the journal keeps them, live and in replay", async () => {
  const seen: unknown[] = [];
  const run = createTestRun(async (context) => {
    try {
      return await context.step("bad", () => {
        throw new TroupeError({ code: "X_Y", message: "m", details: { big: 1n }, hint: "h" });
      });
    } catch (error) {
      if (error instanceof TroupeError)
        seen.push([error.code, error.message, error.details, error.hint]);
      return null;
    }
  });
  await run.carryOut();
  await run.crashedAfter(run.events.length - 1).carryOut();
  expect(seen).toEqual([
    ["X_Y", "m", undefined, "h"],
    ["X_Y", "m", undefined, "h"],
  ]);
});

test("an input without a JSON form is refused before it is journaled", async () => {
  const run = createTestRun(async (context) => [
    await codeOf(context.sleep(Number.NaN)),
    await codeOf(context.sleep(1)),
  ]);
  expect(runResultOf(await run.carryOut())).toEqual(["VALUE_NOT_JSON", "ok"]);
  expect(run.events.filter((event) => event.type === "operation-scheduled")).toHaveLength(1);
});

test("an operation that nobody here can carry out fails by name", async () => {
  const parting = await createTestRun(async (context) => {
    const { outcome } = await context.child({ workflow: "w", input: 1 });
    return outcome;
  }).carryOut();
  expect(parting.event).toMatchObject({
    error: { code: "ENGINE_OPERATION_UNKNOWN", details: { kind: "child", op: "child#1" } },
  });
});

test("what is done is not asked to end any more", async () => {
  const signals: AbortSignal[] = [];
  const run = createTestRun(async (context) => {
    await context.step("work", ({ signal }) => signals.push(signal));
    await context.sleep(10);
    return null;
  });
  await run.carryOut();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test("a program that waits for a promise of its own is stopped with ENGINE_FOREIGN_PROMISE [ENG-1]", async () => {
  const run = createTestRun(async (context) => {
    await context.sleep(5);
    return new Promise(() => {});
  });
  await expect(run.carryOut()).rejects.toMatchObject({
    code: "ENGINE_FOREIGN_PROMISE",
    message: expect.stringContaining("run_test"),
  });
  expect(run.events.at(-1)?.type).toBe("operation-settled");
});

test("operations that nobody awaits end neither the process nor the run", async () => {
  await expect(
    unhandledRejectionsOf(async () => {
      await resultOfProgram(async (context) => {
        const broken = () => {
          throw new Error("unheard");
        };
        void context.step("broken", broken);
        void context.sleep(100_000);
        void context.sleep(Number.NaN);
        void context.scope("inner", (inner) => inner.step("broken", broken)).result;
        const cancelled = context.scope("cancelled", (inner) => inner.sleep(1));
        cancelled.cancel("not needed");
        await context.sleep(10);
        return null;
      });
      await settle();
    }),
  ).resolves.toEqual([]);
});

test("nothing is left behind when run and owner have parted", async () => {
  const run = createTestRun(
    async (context) => {
      void context.sleep(100_000);
      void context.approval({ message: "?", timeoutMs: 500_000 });
      void context.next(context.subscribe({ kinds: ["message"] }), { timeoutMs: 90_000 });
      void context.scope("inner", (inner) => inner.sleep(70_000), { timeoutMs: 80_000 }).result;
      await context.step("quick", () => null, { timeoutMs: 1000 });
      return null;
    },
    { limits: { timeoutMs: 1_000_000 } },
  );
  await run.carryOut();
  expect(run.clock.timerCount).toBe(0);
});
