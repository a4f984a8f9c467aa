import { expect, test } from "vitest";
import type { ApprovalSpec } from "../../src/contracts/ports/context.ts";
import { approvalHash } from "../../src/engine/operations/person-operations.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import {
  createTestRun,
  runResultOf,
  type TestRunOptions,
  untilParted,
} from "../../src/testing/test-run.ts";

function approvalRun(spec: Partial<ApprovalSpec> = {}, options: TestRunOptions = {}) {
  return createTestRun(async (context) => {
    const decision = await context.approval({ message: "deploy?", ...spec });
    return { ...decision, afterMs: context.now() - Date.UTC(2026, 0, 1) };
  }, options);
}

test("an approval waits under the same id over several owners and is decided once [P14]", async () => {
  const run = approvalRun();
  const ids = new Set<string>();
  for (let owner = 0; owner < 3; owner += 1) {
    const driver = run.start();
    await settle();
    for (const id of driver.state.inbox.keys()) ids.add(id);
    driver.suspend("interrupted", 130);
    const { event } = await driver.parted;
    expect(event).toMatchObject({ waitingFor: [{ kind: "approval", text: "deploy?" }] });
  }
  const driver = run.start();
  await settle();
  const [approval = ""] = ids;
  const decide = (decision: "approved" | "rejected") =>
    driver.append({ type: "approval-resolved", approval, decision, by: "user", comment: "fine" });
  decide("approved");
  decide("rejected");
  expect(runResultOf(await untilParted(driver, run.clock))).toMatchObject({
    approved: true,
    by: "user",
    comment: "fine",
  });
  expect(ids.size).toBe(1);
  expect(run.events.filter(({ type }) => type === "approval-requested")).toHaveLength(1);
});

test("a decision that was recorded before the owner died is found by the next", async () => {
  const run = approvalRun();
  const driver = run.start();
  await settle();
  const [approval = ""] = driver.state.inbox.keys();
  driver.append({ type: "approval-resolved", approval, decision: "rejected", by: "user" });
  await untilParted(driver, run.clock);
  const resolvedAt = run.events.findIndex(({ type }) => type === "approval-resolved");
  const resumed = run.crashedAfter(resolvedAt + 1);
  expect(runResultOf(await resumed.carryOut())).toMatchObject({ approved: false, by: "user" });
});

test("a person is shown what is to be approved, and the decision is bound to it", async () => {
  const shown = { message: "deploy?", show: { version: 2 } };
  const run = approvalRun({ ...shown, step: "deploy", purpose: "pause" });
  const driver = run.start();
  await settle();
  const [requested] = run.events.filter(({ type }) => type === "approval-requested");
  const hash = approvalHash(shown);
  expect(requested).toMatchObject({ ...shown, step: "deploy", purpose: "pause", hash });
  expect(approvalHash({ ...shown })).toBe(hash);
  expect(approvalHash({ ...shown, message: "delete?" })).not.toBe(hash);
  expect(approvalHash({ ...shown, show: { version: 3 } })).not.toBe(hash);
  driver.append({
    type: "approval-resolved",
    approval: [...driver.state.inbox.keys()][0] ?? "",
    decision: "approved",
    by: "user",
    edited: { version: 1 },
  });
  expect(runResultOf(await untilParted(driver, run.clock))).toEqual({
    approved: true,
    by: "user",
    edited: { version: 1 },
    afterMs: 0,
  });
});

test("a decision that was recorded before the owner died is not made again at the timeout [ENG-7.approval]", async () => {
  const run = approvalRun({ timeoutMs: 60_000 });
  const driver = run.start();
  await settle();
  const [approval = ""] = driver.state.inbox.keys();
  driver.append({ type: "approval-resolved", approval, decision: "approved", by: "user" });
  await untilParted(driver, run.clock);
  const resolvedAt = run.events.findIndex(({ type }) => type === "approval-resolved");
  const resumed = run.crashedAfter(resolvedAt + 1);
  await resumed.clock.advance(90_000);
  expect(runResultOf(await resumed.carryOut())).toMatchObject({ approved: true, by: "user" });
  const decisions = resumed.events.filter(({ type }) => type === "approval-resolved");
  expect(decisions).toHaveLength(1);
});

test.each([60_000, 90_000])(
  "an approval that times out decides itself in calendar time, also while nobody runs the run, %d ms here [ENG-7.approval]",
  async (awayMs) => {
    const run = approvalRun(
      { timeoutMs: 60_000, onTimeout: "approve" },
      { suspendsWhenWaiting: true },
    );
    expect((await run.carryOut()).event).toMatchObject({
      type: "run-suspended",
      reason: "waiting",
      exitCode: 3,
    });
    expect(run.events.at(-2)).toMatchObject({ expiresAt: "2026-01-01T00:01:00.000Z" });
    await run.clock.advance(awayMs);
    expect(runResultOf(await run.carryOut())).toEqual({
      approved: true,
      by: "timeout",
      afterMs: awayMs,
    });
  },
);

test("without a decision an approval is rejected at its timeout", async () => {
  const result = runResultOf(await approvalRun({ timeoutMs: 5000 }).carryOut());
  expect(result).toEqual({ approved: false, by: "timeout", afterMs: 5000 });
});

test("deadlines stand while everything waits for a person [ENG-7.running]", async () => {
  const run = createTestRun(
    async (context) => {
      const scope = context.scope(
        "guarded",
        async (inner) => {
          await inner.sleep(1000);
          await inner.approval({ message: "?" });
          await inner.sleep(1000);
          return "in time";
        },
        { timeoutMs: 3000 },
      );
      return scope.result;
    },
    { limits: { timeoutMs: 4000 } },
  );
  const driver = run.start();
  await run.clock.advance(1000);
  await run.clock.advance(1_000_000);
  const [approval = ""] = driver.state.inbox.keys();
  driver.append({ type: "approval-resolved", approval, decision: "approved", by: "user" });
  const { event } = await untilParted(driver, run.clock);
  expect(event).toMatchObject({ outcome: "completed", result: "in time", durationMs: 2000 });
});

test("a run that waits for a person beside other work is not let go", async () => {
  const run = createTestRun(
    async (context) => {
      const asked = context.approval({ message: "?" });
      await context.sleep(1000);
      await context.step("work", () => 1);
      return { ...(await asked) };
    },
    { suspendsWhenWaiting: true },
  );
  const { event } = await run.carryOut();
  expect(event).toMatchObject({ type: "run-suspended", reason: "waiting" });
  expect(run.clock.monotonic()).toBe(1000);
});

test("a cancelled approval is asked of nobody any more", async () => {
  const run = createTestRun(async (context) => {
    const scope = context.scope("asking", (inner) => inner.approval({ message: "?" }));
    await context.sleep(10);
    scope.cancel("not needed");
    await context.sleep(10);
    return null;
  });
  const driver = run.start();
  await untilParted(driver, run.clock);
  expect(driver.state.inbox.size).toBe(0);
});
