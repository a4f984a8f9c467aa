import { expect, test } from "vitest";
import { endLeftovers } from "../../src/host/leftovers.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { eventually, newTag, tagged } from "../host/survivors.ts";
import { type ChildRun, runChild, startChild } from "./child-run.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";

test("a run that is over has left no process, whatever its agents started [ENG-6, P11]", async () => {
  const [sandbox, tag] = [createSandbox(), newTag()];
  const end = await runChild(sandbox, { action: "start-stubborn", tag });
  expect(end).toMatchObject({ signal: null });
  expect(observe(sandbox).events.at(-1)).toMatchObject({ type: "run-ended", outcome: "timed-out" });
  expect(await tagged(tag)).toEqual([]);
  await sandbox.remove();
});

test("a cancelled run has left no process [ENG-6, P11]", async () => {
  const [sandbox, tag] = [createSandbox(), newTag()];
  await runChild(sandbox, { action: "start-stubborn", tag, cancels: true });
  expect(observe(sandbox).events.at(-1)).toMatchObject({ type: "run-ended", outcome: "cancelled" });
  expect(await tagged(tag)).toEqual([]);
  await sandbox.remove();
});

test("five seconds after its owner was killed a run has no process left [ENG-6, P11]", async () => {
  const [sandbox, tag] = [createSandbox(), newTag()];
  const owner = await startWorking(sandbox, tag);
  const killedMs = performance.now();
  owner.kill("SIGKILL");
  await eventually(
    () => tagged(tag),
    (pids) => pids.length === 0,
  );
  expect(performance.now() - killedMs).toBeLessThan(5000);
  await sandbox.remove();
});

test("when the reaper was killed too, the next start of troupe ends what is left [ENG-6, P11]", async () => {
  const [sandbox, tag] = [createSandbox(), newTag()];
  const owner = await startWorking(sandbox, tag);
  process.kill(await reaperOf(owner), "SIGKILL");
  owner.kill("SIGKILL");
  await owner.gone;
  try {
    expect((await tagged(tag)).length).toBeGreaterThan(2);
    expect(await runChild(sandbox, { action: "clear-leftovers" })).toMatchObject({ exitCode: 0 });
    expect(await tagged(tag)).toEqual([]);
  } finally {
    await endLeftovers();
  }
  await sandbox.remove();
});

/** A process whose agents have all started what they start. */
async function startWorking(sandbox: Sandbox, tag: string): Promise<ChildRun> {
  const owner = startChild(sandbox, { action: "start-stubborn", tag });
  await eventually(
    () => tagged(tag),
    (pids) => pids.length >= 4,
  );
  return owner;
}

async function reaperOf({ pid }: ChildRun): Promise<number> {
  const { entries } = await createProcessTable().list();
  // The reaper alone gets nothing of the environment.
  const reaper = entries.find(
    (entry) => entry.parent === pid && entry.variable("TROUPE_RUN") === undefined,
  );
  if (reaper === undefined) throw new Error("the owner has no reaper");
  return reaper.pid;
}
