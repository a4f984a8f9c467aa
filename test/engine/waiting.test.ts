import { expect, test } from "vitest";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf, untilParted } from "../../src/testing/test-run.ts";
import { postHandler } from "./program-parts.ts";

const messages = { kinds: ["message"] } as const;

test("who waits without a timeout waits until the fact comes, and leaves no timer", async () => {
  const run = createTestRun(async (context) => {
    const fact = await context.next(context.subscribe(messages));
    return fact?.type ?? null;
  });
  const driver = run.start();
  await run.clock.advance(1_000_000);
  expect(run.clock.timerCount).toBe(0);
  driver.append({
    ...{ type: "message-posted", id: "m", from: "user", text: "hi" },
    ...{ mentions: [], signals: [] },
  });
  expect(runResultOf(await untilParted(driver, run.clock))).toBe("message-posted");
});

test("a fact that came in time ends the timeout, and one deadline leaves no other", async () => {
  const run = createTestRun(
    async (context) => {
      const waiting = context.next(context.subscribe(messages), { timeoutMs: 600_000 });
      await context.post({ text: "hi" });
      await waiting;
      await context.scope("guarded", (inner) => inner.sleep(10), { timeoutMs: 500_000 }).result;
      await context.sleep(50_000);
      return null;
    },
    { prepare: postHandler },
  );
  const driver = run.start();
  await run.clock.advance(10_000);
  // The last sleep alone.
  expect(run.clock.timerCount).toBe(1);
  await untilParted(driver, run.clock);
});

test("a timeout counts from when it was asked for [ENG-7.waits]", async () => {
  const run = createTestRun(async (context) => {
    await context.sleep(3000);
    await context.next(context.subscribe(messages), { timeoutMs: 5000 });
    return context.now() - Date.UTC(2026, 0, 1);
  });
  expect(runResultOf(await run.carryOut())).toBe(8000);
});

test("who only looks does not wait for a person who is asked meanwhile [ENG-7.waits]", async () => {
  const run = createTestRun(async (context) => {
    const asked = context.approval({ message: "?" });
    const seen = await context.next(context.subscribe(messages), { timeoutMs: 0 });
    context.log("info", seen === undefined ? "nothing yet" : "something");
    await asked;
    return null;
  });
  const driver = run.start();
  await settle();
  expect(run.events.findLast(({ type }) => type === "log")).toMatchObject({ text: "nothing yet" });
  const [approval = ""] = driver.state.inbox.keys();
  driver.append({ type: "approval-resolved", approval, decision: "approved", by: "user" });
  await untilParted(driver, run.clock);
});

test("a deadline of a scope counts from when the scope was opened, over several owners [ENG-7.outer, ENG-7.running]", async () => {
  const run = createTestRun(async (context) => {
    await context.sleep(3000);
    const scope = context.scope("guarded", (inner) => inner.sleep(60_000), { timeoutMs: 5000 });
    await scope.result.catch(() => {});
    return context.now() - Date.UTC(2026, 0, 1);
  });
  const driver = run.start();
  await run.clock.advance(4000);
  driver.suspend("interrupted", 130);
  await driver.parted;
  await run.clock.advance(10_000);
  expect(runResultOf(await run.carryOut())).toBe(18_000);
});
