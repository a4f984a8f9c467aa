import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { has } from "../machine.ts";
import { type ChildRun, runChild, startChild } from "./child-run.ts";
import { uninterruptedResult } from "./crash-case.ts";
import { injecting } from "./injector.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import { comparable, expectNothingRepeated, expectWholeRun } from "./verdict.ts";

const RESUMES = 20;
/** The lease of an owner that does not renew it runs out after 10 s. */
const LEASE_MS = 10_000;
/** Four syncs make the journal and its first event; a slow machine, which commits more at once, needs some ten more. */
const SYNC_OF_A_COMMIT = "10";

test("of twenty resumes of one run at once, one owns it and nineteen are refused [ENG-4, P5]", async () => {
  const sandbox = createSandbox();
  const first = startChild(sandbox, { action: "start-approval" });
  await eventsOf(sandbox, (types) => types.includes("approval-requested"));
  first.kill("SIGKILL");
  await first.gone;
  const before = observe(sandbox);
  const children = Array.from({ length: RESUMES }, () =>
    startChild(sandbox, { action: "resume-approval" }),
  );
  const owner = await Promise.race(children.map((child) => child.owns.then(() => child)));
  const losers = children.filter((child) => child !== owner);
  const ends = await Promise.all(losers.map((child) => child.gone));
  expect(ends.map(({ exitCode, error }) => [exitCode, error?.code])).toEqual(
    losers.map(() => [1, "ENGINE_RUN_OWNED"]),
  );
  owner.kill("SIGKILL");
  await owner.gone;
  const resumed = observe(sandbox).events.slice(before.events.length);
  expect(resumed.filter(({ type }) => type === "run-resumed")).toHaveLength(1);
  await sandbox.remove();
});

test("an owner that was stopped for longer than its lease loses the run and writes nothing more [ENG-4, P5]", async () => {
  const sandbox = createSandbox();
  const stopped = startChild(sandbox, { action: "start-approval" });
  await stopped.owns;
  await eventsOf(sandbox, (types) => types.includes("approval-requested"));
  stopped.kill("SIGSTOP");
  const early = await runChild(sandbox, { action: "resume-approval" });
  expect([early.exitCode, early.error?.code]).toEqual([1, "ENGINE_RUN_OWNED"]);
  await leaseToRunOut();
  const next = startChild(sandbox, { action: "resume-approval" });
  await next.owns;
  await eventsOf(sandbox, (types) => types.at(-1) !== "approval-requested");
  stopped.kill("SIGCONT");
  const end = await stopped.gone;
  expect([end.exitCode, end.error?.code]).toEqual([1, "ENGINE_LEASE_LOST"]);
  next.kill("SIGKILL");
  await next.gone;
  const { events } = observe(sandbox);
  expect(events.filter(({ type }) => type === "run-resumed")).toMatchObject([{ epoch: 2 }]);
  expect(events.at(-1)).toMatchObject({ type: "run-resumed" });
  await sandbox.remove();
});

test.runIf(has("strace"))(
  "an owner that was stopped inside a transaction is ended after its lease, by one of those that want the run [ENG-4, P5]",
  async () => {
    const expected = await uninterruptedResult();
    const sandbox = createSandbox();
    // The sync of a commit happens under the lock of the journal.
    const wrapper = injecting("fsync", "signal=STOP", SYNC_OF_A_COMMIT);
    const frozen = startChild(sandbox, { action: "start" }, { wrapper });
    await frozen.owns;
    await isStopped(frozen);
    const before = observe(sandbox);
    expect(before.events.map(({ type }) => type)).not.toContain("run-ended");
    const early = await runChild(sandbox, { action: "resume" });
    expect([early.exitCode, early.error?.code]).toEqual([1, "ENGINE_RUN_OWNED"]);
    await leaseToRunOut();
    const ends = await Promise.all([1, 2, 3, 4].map(() => runChild(sandbox, { action: "resume" })));
    // Whoever comes too late meets the new owner or its result, and nobody is killed for being the new owner.
    for (const { exitCode, signal, error, result } of ends) {
      expect(signal).toBeNull();
      if (exitCode === 0) expect(comparable(result)).toEqual(comparable(expected));
      else expect(error?.code).toBe("ENGINE_RUN_OWNED");
    }
    expect(ends.filter(({ exitCode }) => exitCode === 0)).not.toHaveLength(0);
    expect((await frozen.gone).signal).toBe("SIGKILL");
    const after = observe(sandbox);
    expectNothingRepeated(before, after);
    expectWholeRun(after);
    expect(after.events.filter(({ type }) => type === "run-resumed")).toHaveLength(1);
    await sandbox.remove();
  },
);

/** The lease is a matter of real time between processes: there is no clock to advance. */
function leaseToRunOut(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LEASE_MS));
}

async function eventsOf(
  sandbox: Sandbox,
  isEnough: (types: readonly string[]) => boolean,
): Promise<void> {
  while (!isEnough(observe(sandbox).events.map(({ type }) => type)))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Resolves once the process is stopped. Its first thread is held by its tracer (t) at each call as well, so it is
 * the others, which nobody traces, that tell.
 */
async function isStopped({ pid }: ChildRun): Promise<void> {
  while (!othersOf(pid).every((thread) => /^State:\s*T/m.test(thread)))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

function othersOf(pid: number): readonly string[] {
  const tasks = `/proc/${pid}/task`;
  const others = readdirSync(tasks).filter((task) => task !== String(pid));
  return others.map((task) => readFileSync(`${tasks}/${task}/status`, "utf8"));
}
