import { expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { commandRun } from "../../src/app/run/commands/command-run.ts";
import { resumeOnMachine } from "../../src/app/run/resume-run.ts";
import type { EventOf } from "../../src/contracts/events/event.ts";
import type { RunCommand } from "../../src/contracts/events/run-events.ts";
import { isRecord } from "../../src/foundation/json.ts";
import { casesOf } from "../cases.ts";
import { runChild, startChild } from "./child-run.ts";
import { say, seedOf } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";

const KILLS = casesOf(60, 8);
const SUSPENSIONS = 200 - 60;

test("an approval step outlives 200 restarts of its workflow under one id and is decided once [STP-8, ENG-19, P14]", async () => {
  const random = seedOf("steps-approval");
  const sandbox = createSandbox();
  const first = startChild(sandbox, { action: "start-steps-approval" });
  while (requested(sandbox).length === 0) await pause(20);
  first.kill("SIGKILL");
  await first.gone;
  const [approval] = requested(sandbox);
  for (let restart = 0; restart < KILLS; restart += 1) {
    const owner = startChild(sandbox, { action: "resume-steps-approval" });
    await owner.owns;
    // Also right at the start, while the program is run again.
    await pause(random() * 12);
    owner.kill("SIGKILL");
    await owner.gone;
    expect(requested(sandbox)).toEqual([approval]);
  }
  for (let restart = 0; restart < SUSPENSIONS; restart += 1) await letGo(sandbox);
  expect(requested(sandbox)).toEqual([approval]);
  const id = approval?.approval ?? "";
  const decisions = (["approved", "rejected", "approved"] as const).map((decision) =>
    command(sandbox, { kind: "resolve-approval", approval: id, decision }),
  );
  const outcomes = await Promise.allSettled(decisions);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === "rejected")
      expect(["ENGINE_ITEM_RESOLVED", "ENGINE_RUN_OWNED"]).toContain(outcome.reason.code);
  expectDecidedOnce(sandbox, id, await runChild(sandbox, { action: "resume-steps-approval" }));
  say(`approval step: ${KILLS} kills, ${SUSPENSIONS} suspensions, one id, one decision`);
  await sandbox.remove();
});

function expectDecidedOnce(sandbox: Sandbox, id: string, end: { readonly result: unknown }): void {
  const { events } = observe(sandbox);
  const resolved = events.filter(({ type }) => type === "approval-resolved");
  expect(resolved).toMatchObject([{ approval: id, by: "user" }]);
  const [decision] = resolved;
  const isApproved = decision?.type === "approval-resolved" && decision.decision === "approved";
  const path = ["plan", "approve", isApproved ? "deploy" : "abandon"];
  expect(isRecord(end.result) ? end.result["path"] : undefined).toEqual(path);
  const { ledger } = observe(sandbox);
  const effects = ledger.filter(({ mark }) => mark === "end").map(({ step }) => step);
  expect(effects).toEqual(["plan", path[2]]);
}

/** A process of its own would take longer: this one takes the run, sees that only a person can go on, and lets go. */
async function letGo(sandbox: Sandbox): Promise<void> {
  const resumption = await resumeOnMachine(machineOf(sandbox), "@last", {
    suspendsWhenWaiting: true,
  });
  if (resumption.status === "over") throw new Error("the run is over");
  const { status } = await resumption.run.parted;
  expect(status).toBe("suspended");
}

function requested(sandbox: Sandbox): readonly EventOf<"approval-requested">[] {
  return observe(sandbox).events.filter((event) => event.type === "approval-requested");
}

function command(sandbox: Sandbox, given: RunCommand) {
  return commandRun(machineOf(sandbox), "@last", { command: given });
}

function machineOf({ cwd, temporary }: Sandbox) {
  return createMachineAt({ cwd, env: { ...process.env, TMPDIR: temporary } });
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
