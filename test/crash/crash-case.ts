import { expect } from "vitest";
import { type ChildEnd, type ChildOptions, runChild, startChild } from "./child-run.ts";
import type { CrashOrder } from "./fixture-run.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import {
  comparable,
  expectEffectsAreExplained,
  expectNothingRepeated,
  expectShownIsDurable,
  expectWholeRun,
} from "./verdict.ts";

/** How one process is brought down; with nothing given it runs to its end. */
export interface Kill extends ChildOptions {
  readonly dieAt?: CrashOrder["dieAt"];
  /** SIGKILL this long after the process has shown so many events of the run that it owns. */
  readonly after?: { readonly events: number; readonly ms: number };
}

/** Where in the run's life the first kill struck. */
export type Landing =
  | "before the run"
  | "during the run"
  | "after the run"
  /** The journal could not be written; the process said so and stopped. */
  | "failed loudly"
  | "never";

/**
 * Starts a run, brings down its first process and those that resume it as told, resumes it until it is
 * over, and checks after every process that nothing was lost, repeated, or shown before it was kept.
 */
export async function crashAndResume(kills: readonly Kill[], expected: unknown): Promise<Landing> {
  const sandbox = createSandbox();
  const [first = {}, ...others] = kills;
  const firstEnd = await runKilled(sandbox, "start", first);
  const landing = landingOf(sandbox, firstEnd);
  if (landing === "before the run") {
    // Nobody has seen this run: whoever asked for it asks again.
    await expectNoRun(sandbox);
  } else {
    const result = await resumeToEnd(sandbox, others, firstEnd);
    expect(comparable(result)).toEqual(comparable(expected));
    expectWholeRun(observe(sandbox));
  }
  await sandbox.remove();
  return landing;
}

/** The result of a run that nothing interrupts. */
export async function uninterruptedResult(): Promise<unknown> {
  const sandbox = createSandbox();
  const end = await runChild(sandbox, { action: "start" });
  expect(end).toMatchObject({ exitCode: 0, error: undefined });
  expectShownIsDurable(end, observe(sandbox));
  expectWholeRun(observe(sandbox));
  await sandbox.remove();
  return end.result;
}

async function resumeToEnd(
  sandbox: Sandbox,
  kills: readonly Kill[],
  first: ChildEnd,
): Promise<unknown> {
  let end = first;
  for (const kill of [...kills, {}]) {
    const before = observe(sandbox);
    expectShownIsDurable(end, before);
    expectEffectsAreExplained(before);
    end = await runKilled(sandbox, "resume", kill);
    const after = observe(sandbox);
    expectShownIsDurable(end, after);
    expectEffectsAreExplained(after);
    expectNothingRepeated(before, after);
  }
  expect(end).toMatchObject({ exitCode: 0, signal: null, error: undefined });
  return end.result;
}

async function runKilled(
  sandbox: Sandbox,
  action: "start" | "resume",
  { dieAt, after, ...options }: Kill,
): Promise<ChildEnd> {
  const child = startChild(sandbox, { action, ...(dieAt === undefined ? {} : { dieAt }) }, options);
  if (after !== undefined) {
    await Promise.race([child.hasShown(after.events), child.gone]);
    await new Promise((resolve) => setTimeout(resolve, after.ms));
    child.kill("SIGKILL");
  }
  return child.gone;
}

function landingOf(sandbox: Sandbox, end: ChildEnd): Landing {
  const hasFailed = end.error?.code.startsWith("STORE_") === true;
  if (end.signal === "SIGKILL" || hasFailed) {
    const { events } = observe(sandbox);
    if (events.length === 0) return "before the run";
    if (events.at(-1)?.type === "run-ended") return "after the run";
    return hasFailed ? "failed loudly" : "during the run";
  }
  expect(end).toMatchObject({ exitCode: 0, error: undefined });
  return "never";
}

async function expectNoRun(sandbox: Sandbox): Promise<void> {
  expect(observe(sandbox).ledger).toEqual([]);
  const resumed = await runChild(sandbox, { action: "resume" });
  expect(resumed.exitCode).toBe(1);
  expect(resumed.error?.code).toMatch(/^(RUN_NOT_FOUND|RUN_NEVER_BEGAN|STORE_CORRUPT)$/);
  const again = await runChild(sandbox, { action: "start" });
  expect(again).toMatchObject({ exitCode: 0, error: undefined });
}
