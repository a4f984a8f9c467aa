import { expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { commandRun } from "../../src/app/run/commands/command-run.ts";
import type { EventOf } from "../../src/contracts/events/event.ts";
import type { RunCommand } from "../../src/contracts/events/run-events.ts";
import { casesOf } from "../cases.ts";
import { runChild, startChild } from "./child-run.ts";
import { say, seedOf } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";

const RESTARTS = casesOf(200, 8);

test("an approval outlives 200 kills of its owner under one id and is decided once [P14, ENG-19]", async () => {
  const random = seedOf("approvals");
  const sandbox = createSandbox();
  await killedWhileWaiting(sandbox);
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const owner = startChild(sandbox, { action: "resume-approval" });
    await owner.owns;
    // Also right at the start, while it takes the run over.
    await new Promise((resolve) => setTimeout(resolve, random() * 12));
    owner.kill("SIGKILL");
    await owner.gone;
    expect(requested(sandbox)).toHaveLength(1);
  }
  const [approval] = requested(sandbox);
  const resolve = (decision: "approved" | "rejected") =>
    command(sandbox, { kind: "resolve-approval", approval: approval?.approval ?? "", decision });
  expect(await resolve("approved")).toMatchObject({ status: "recorded" });
  await expect(resolve("approved")).rejects.toMatchObject({ code: "ENGINE_ITEM_RESOLVED" });
  await expect(resolve("rejected")).rejects.toMatchObject({ code: "ENGINE_ITEM_RESOLVED" });
  const end = await runChild(sandbox, { action: "resume-approval" });
  expect(end).toMatchObject({ exitCode: 0, error: undefined });
  await expect(resolve("rejected")).rejects.toMatchObject({ code: "ENGINE_ITEM_RESOLVED" });
  const { events, ledger, run } = observe(sandbox);
  expect(requested(sandbox)).toEqual([approval]);
  expect(events.filter(({ type }) => type === "approval-resolved")).toMatchObject([
    { approval: approval?.approval, decision: "approved", by: "user" },
  ]);
  const keys = ledger.filter(({ mark }) => mark === "end").map(({ key }) => key);
  expect(keys).toEqual([`${run}/step#1`, `${run}/step#2`]);
  say(`approval: ${RESTARTS} kills, one id, one decision`);
  await sandbox.remove();
});

test("of an approval and a rejection at the same time, one counts and the other is told [P14]", async () => {
  const sandbox = createSandbox();
  const owner = startChild(sandbox, { action: "start-approval" });
  await waitsForApproval(sandbox);
  const [approval = ""] = requested(sandbox).map((event) => event.approval);
  const decisions = (["approved", "rejected", "approved", "rejected"] as const).map((decision) =>
    command(sandbox, { kind: "resolve-approval", approval, decision }),
  );
  const outcomes = await Promise.allSettled(decisions);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === "rejected")
      expect(outcome.reason).toMatchObject({ code: "ENGINE_ITEM_RESOLVED" });
  expect(await owner.gone).toMatchObject({ exitCode: 0, error: undefined });
  const { events } = observe(sandbox);
  expect(events.filter(({ type }) => type === "approval-resolved")).toHaveLength(1);
  await sandbox.remove();
});

function requested(sandbox: Sandbox): readonly EventOf<"approval-requested">[] {
  return observe(sandbox).events.filter((event) => event.type === "approval-requested");
}

async function killedWhileWaiting(sandbox: Sandbox): Promise<void> {
  const owner = startChild(sandbox, { action: "start-approval" });
  await waitsForApproval(sandbox);
  owner.kill("SIGKILL");
  await owner.gone;
}

async function waitsForApproval(sandbox: Sandbox): Promise<void> {
  while (requested(sandbox).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

function command(sandbox: Sandbox, given: RunCommand) {
  const env = { ...process.env, TMPDIR: sandbox.temporary };
  return commandRun(createMachineAt({ cwd: sandbox.cwd, env }), "@last", { command: given });
}
