import { expect, test } from "vitest";
import { foreignPromise } from "../../src/engine/errors.ts";
import { fileFailed } from "../../src/host/system/errors.ts";
import { storeUnwritable } from "../../src/journal/errors.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf, untilParted } from "../../src/testing/test-run.ts";
import { codeOf } from "./program-parts.ts";

const unwritable = storeUnwritable({ run: "run_test", place: "journal.db", problem: "it is gone" });

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

test("a suspended run settles nothing, says so last, and goes on when resumed [ENG-18]", async () => {
  const executed: (readonly [string, number])[] = [];
  const run = createTestRun(async (context) => {
    const first = await context.step("first", ({ attempt }) => {
      executed.push(["first", attempt]);
      return 1;
    });
    const second = await context.step("second", async ({ attempt, key, signal }) => {
      executed.push([key, attempt]);
      if (attempt === 1) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        expect(signal.reason).toEqual({ kind: "suspended" });
      }
      return 2;
    });
    return first + second;
  });
  const driver = run.start();
  await settle();
  driver.suspend("interrupted", 130);
  const { event } = await driver.parted;
  expect(event).toMatchObject({ type: "run-suspended", reason: "interrupted", exitCode: 130 });
  expect(run.events.at(-1)).toEqual(event);
  expect(run.events.filter(({ type }) => type === "operation-settled")).toHaveLength(1);
  expect(run.clock.timerCount).toBe(0);
  expect(runResultOf(await run.carryOut())).toBe(3);
  expect(executed).toEqual([
    ["first", 1],
    ["run_test/step#2", 1],
    ["run_test/step#2", 2],
  ]);
  expect(run.events.find(({ type }) => type === "operation-attempted")).toMatchObject({
    attempt: 2,
    cause: "suspended",
  });
});

test("what a function returns after it was told to stop is not taken for its result [ENG-18]", async () => {
  const run = createTestRun(async (context) =>
    context.step("collect", async ({ attempt, signal }) => {
      if (attempt === 1) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return signal.aborted ? "half" : "all";
    }),
  );
  const driver = run.start();
  await settle();
  driver.suspend("interrupted", 130);
  await driver.parted;
  expect(runResultOf(await run.carryOut())).toBe("all");
});

test("a step that does not look at its signal is finished and recorded before the run is let go", async () => {
  const attempts: number[] = [];
  let finish = () => {};
  const run = createTestRun(async (context) =>
    context.step("deaf", ({ attempt }) => {
      attempts.push(attempt);
      return new Promise<string>((resolve) => {
        finish = () => resolve("done");
      });
    }),
  );
  const driver = run.start();
  await settle();
  driver.suspend("interrupted", 130);
  finish();
  await driver.parted;
  expect(runResultOf(await run.carryOut())).toBe("done");
  expect(attempts).toEqual([1]);
});

test("an outcome that has not reached the program when the run is let go does so under the next owner", async () => {
  const reached: string[] = [];
  const run = createTestRun(
    async (context) => {
      await context.sleep(10);
      reached.push("the program");
      return "slept";
    },
    {
      prepare: (driver) =>
        driver.onAppended((event) => {
          if (event.type === "operation-settled") driver.suspend("interrupted", 130);
        }),
    },
  );
  expect((await run.carryOut()).status).toBe("suspended");
  await settle();
  expect(reached).toEqual([]);
  expect(runResultOf(await run.carryOut())).toBe("slept");
});

test("what comes in while a run is let go is neither recorded after its last event nor acknowledged", async () => {
  const acknowledged: Promise<string>[] = [];
  const run = createTestRun(async (context) => context.sleep(1000).then(() => null), {
    prepare: (driver) =>
      driver.onAppended((event) => {
        if (event.type !== "run-suspended") return;
        // Its place is known and its group is not written yet.
        void Promise.resolve().then(() => {
          driver.append({ type: "log", note: "x", level: "info", text: "too late" });
          driver.whenDurable(() => acknowledged.push(Promise.resolve("durable")));
          acknowledged.push(codeOf(driver.flushed()));
        });
      }),
  });
  const driver = run.start();
  await settle();
  driver.suspend("interrupted", 130);
  await driver.parted;
  expect(await Promise.all(acknowledged)).toEqual(["ENGINE_NOT_RECORDED"]);
  expect(run.events.at(-1)?.type).toBe("run-suspended");
});

test("a run that is suspended during its replay has been checked first", async () => {
  const run = createTestRun(async (context) => {
    for (let step = 0; step < 10; step += 1) await context.step("work", () => step);
    await context.sleep(1000);
    return "done";
  });
  const first = run.start();
  await settle(40);
  first.suspend("interrupted", 130);
  await first.parted;
  const recorded = run.events.length;
  const second = run.start();
  second.suspend("interrupted", 143);
  await second.parted;
  expect(run.events.slice(recorded).map(({ type }) => type)).toEqual([
    "run-resumed",
    "run-suspended",
  ]);
  const changed = createTestRun(async (context) => context.sleep(1).then(() => null), {
    events: run.events,
  });
  const third = changed.start();
  third.suspend("interrupted", 143);
  expect(await codeOf(third.parted)).toBe("ENGINE_NONDETERMINISM");
  expect(changed.events).toEqual(run.events);
  expect(runResultOf(await run.carryOut())).toBe("done");
});

test("a sleep that fell due while nobody ran the run fires at the resume [ENG-7.waits]", async () => {
  const run = createTestRun(async (context) => {
    await context.sleep(60_000);
    return context.now() - Date.UTC(2026, 0, 1);
  });
  const driver = run.start();
  await run.clock.advance(1000);
  driver.suspend("interrupted", 130);
  await driver.parted;
  await run.clock.advance(500_000);
  const resumed = run.start();
  await run.clock.advance(0);
  expect(runResultOf(await resumed.parted)).toBe(501_000);
});

test("a clock that was set back by ten years makes a sleep and an approval last no longer than they were asked to [P8.back]", async () => {
  const run = createTestRun(async (context) => {
    await context.sleep(60_000);
    const { approved } = await context.approval({ message: "?", timeoutMs: 30_000 });
    return approved;
  });
  const driver = run.start();
  await run.clock.advance(1000);
  driver.suspend("interrupted", 130);
  await driver.parted;
  run.clock.jump(-TEN_YEARS_MS);
  const resumed = run.start();
  await run.clock.advance(60_000);
  expect(resumed.state.inbox.size).toBe(1);
  resumed.suspend("interrupted", 130);
  await resumed.parted;
  run.clock.jump(-TEN_YEARS_MS);
  const last = run.start();
  await run.clock.advance(30_000);
  expect(runResultOf(await last.parted)).toBe(false);
});

test("a run that reaches its deadline can be resumed with a later one [ENG-7.run]", async () => {
  const run = createTestRun(
    async (context) => {
      for (let step = 0; step < 3; step += 1) {
        await context.step("work", () => step);
        await context.sleep(1000);
      }
      return "done";
    },
    { limits: { timeoutMs: 1500 } },
  );
  const { event } = await run.carryOut();
  expect(event).toMatchObject({
    type: "run-ended",
    outcome: "timed-out",
    resumable: true,
    exitCode: 5,
    durationMs: 1500,
  });
  // The same limit is used up at once.
  expect((await run.carryOut()).event).toMatchObject({ outcome: "timed-out" });
  expect(runResultOf(await run.carryOut({ timeoutMs: 9000 }))).toBe("done");
  expect(run.events.find(({ type }) => type === "cancellation-requested")).toBeUndefined();
});

test("time without an owner does not count against the deadline of a run [ENG-7.running]", async () => {
  const run = createTestRun(
    async (context) => {
      await context.approval({ message: "go?" });
      return "done";
    },
    { limits: { timeoutMs: 1000 } },
  );
  const driver = run.start();
  await run.clock.advance(400);
  driver.suspend("interrupted", 130);
  await driver.parted;
  await run.clock.advance(100_000);
  const resumed = run.start();
  await run.clock.advance(100_000);
  const [item] = resumed.state.inbox.values();
  resumed.append({
    type: "approval-resolved",
    approval: item?.id ?? "",
    decision: "approved",
    by: "user",
  });
  expect(runResultOf(await untilParted(resumed, run.clock))).toBe("done");
});

test("three deaths of its owner in one operation suspend the run, and once it is resumed they count from the start [ENG-23.deaths]", async () => {
  const attempts: number[] = [];
  let isDeadly = true;
  const run = createTestRun((context) =>
    context.step("deadly", async ({ attempt }) => {
      attempts.push(attempt);
      if (isDeadly) await new Promise(() => {});
      return "done";
    }),
  );
  const die = async (times: number) => {
    for (let owner = 0; owner < times; owner += 1) {
      run.start().parted.catch(() => {});
      await settle();
    }
  };
  await die(3);
  const loop = {
    status: "suspended",
    event: { reason: "interrupted", error: { code: "ENGINE_CRASH_LOOP" } },
  };
  expect(await run.carryOut()).toMatchObject(loop);
  expect(attempts).toEqual([1, 2, 3]);
  expect(run.events.filter(({ type }) => type === "operation-settled")).toEqual([]);
  // Resumed by a person: three more, not one.
  await die(3);
  expect(await run.carryOut()).toMatchObject(loop);
  expect(attempts).toEqual([1, 2, 3, 4, 5, 6]);
  isDeadly = false;
  expect(runResultOf(await run.carryOut())).toBe("done");
});

test("work that the program waits for together is not started where one operation of it is deadly [ENG-23.deaths]", async () => {
  let others = 0;
  const run = createTestRun((context) =>
    Promise.all([
      context.step("deadly", () => new Promise<null>(() => {})),
      context.step("other", () => {
        others += 1;
        return new Promise<null>(() => {});
      }),
    ]),
  );
  for (let owner = 0; owner < 3; owner += 1) {
    run.start().parted.catch(() => {});
    await settle();
  }
  expect(await run.carryOut()).toMatchObject({ status: "suspended" });
  expect(others).toBe(3);
});

test("a full disk settles nothing, and an owner that stops for it has not died [ENG-2, ENG-5]", async () => {
  const attempts: number[] = [];
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const run = createTestRun(async (context) =>
    codeOf(
      context.step("logged", async ({ attempt }) => {
        attempts.push(attempt);
        if (attempt > 6) return "done";
        throw fileFailed({ action: "write", path: "a", reason: "ENOSPC" }, { cause: full });
      }),
    ),
  );
  for (let owner = 0; owner < 6; owner += 1)
    await expect(run.carryOut()).rejects.toMatchObject({ code: "HOST_DISK_FULL" });
  expect(run.events.filter(({ type }) => type === "operation-settled")).toEqual([]);
  expect(runResultOf(await run.carryOut())).toBe("ok");
  expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test.each([
  ["a journal that cannot be written has not died", unwritable, "ok"],
  ["another failure of its own has", foreignPromise({ run: "run_test" }), "ENGINE_CRASH_LOOP"],
  ["a fault in the code has", new Error("a fault"), "ENGINE_CRASH_LOOP"],
])("an owner that stops for %s [ENG-2, ENG-5]", async (_what, error, code) => {
  const run = createTestRun(async (context) =>
    codeOf(
      context.step("work", async ({ attempt, signal }) => {
        if (attempt > 3) return "done";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw signal.reason;
      }),
    ),
  );
  for (let owner = 0; owner < 3; owner += 1) {
    const driver = run.start();
    await settle();
    driver.fail(error);
    await expect(driver.parted).rejects.toBe(error);
  }
  const parting = await run.carryOut();
  const stop = parting.status === "suspended" ? parting.event.error : undefined;
  expect(stop?.code ?? runResultOf(parting)).toBe(code);
});

test("what the function of a step finds full is the failure of the step", async () => {
  const run = createTestRun(async (context) =>
    codeOf(
      context.step("own", () => {
        throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      }),
    ),
  );
  expect(runResultOf(await run.carryOut())).toBe("ENGINE_STEP_FAILED");
});

test("suspensions between deaths of the owner break the row", async () => {
  const attempts: number[] = [];
  const run = createTestRun(async (context) =>
    context.step("slow", async ({ attempt, signal }) => {
      attempts.push(attempt);
      if (attempt > 5) return "done";
      return new Promise<string>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      );
    }),
  );
  const dies = async () => {
    run.start().parted.catch(() => {});
    await settle();
  };
  await dies();
  await dies();
  const polite = run.start();
  await settle();
  polite.suspend("interrupted", 130);
  await polite.parted;
  await dies();
  await dies();
  expect(runResultOf(await run.carryOut())).toBe("done");
  expect(attempts).toEqual([1, 2, 3, 4, 5, 6]);
});

test("what follows the run to its end hears all that was appended before, and its own word is recorded [ENG-18]", async () => {
  const heard: string[] = [];
  const run = createTestRun(async (context) => context.sleep(1000).then(() => null), {
    prepare: (driver) => {
      driver.onStopped(async () => {
        heard.push(run.events.at(-1)?.type ?? "", driver.state.phase.status);
        driver.append({ type: "log", note: "last", level: "info", text: "last" });
        await driver.flushed();
        heard.push(run.events.at(-1)?.type ?? "");
      });
      driver.onStopping(async () => {
        await settle();
        driver.append({ type: "agent-exited", agent: "a", reason: "released" });
        await driver.flushed();
      });
    },
  });
  const driver = run.start();
  await settle();
  driver.suspend("interrupted", 130);
  await driver.parted;
  expect(heard).toEqual(["agent-exited", "running", "log"]);
  expect(run.events.map(({ type }) => type).slice(-3)).toEqual([
    "agent-exited",
    "log",
    "run-suspended",
  ]);
});
