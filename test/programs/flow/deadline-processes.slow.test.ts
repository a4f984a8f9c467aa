import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import {
  startStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "flow-"));
});

afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** A command with a child of its own; both would run for minutes, and stop at nothing polite. */
function stubborn(id: string): TestFlowStep {
  const command = `trap '' TERM; sleep 300 & echo "$$ $!" >> ${id}.pids; wait; sleep 300`;
  return { id, type: "shell", settings: { command } };
}

/** The processes that such a step has started so far. */
function pidsOf(id: string): readonly string[] {
  const file = join(cwd, `${id}.pids`);
  return existsSync(file) ? readFileSync(file, "utf8").split(/\s+/).filter(Boolean) : [];
}

/** Resolves once the step has started so many. */
async function whenStarted(id: string, count: number): Promise<void> {
  await expect.poll(() => pidsOf(id)).toHaveLength(count);
}

/** A zombie that nobody has collected yet is not alive. */
function isAlive(pid: string): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

test("timeout_ms ends the processes of each attempt before the next begins [STP-4, ENG-6]", async () => {
  const clock = createManualClock();
  const step = { ...stubborn("retried"), timeoutMs: 400, maxAttempts: 2 };
  const started = await startStepsInMemory({ steps: [step] }, { cwd, clock });
  await whenStarted("retried", 2);
  await clock.advance(400);
  await whenStarted("retried", 4);
  expect(pidsOf("retried").slice(0, 2).filter(isAlive)).toEqual([]);
  await clock.advance(400);
  expect((await started.over()).outcome).toBe("failed");
  expect(pidsOf("retried").filter(isAlive)).toEqual([]);
});

test("max_duration_ms ends the processes of all steps, also of those inside of others [STP-3, ENG-6, ENG-7.outer]", async () => {
  const clock = createManualClock();
  const steps = [stubborn("left"), stubborn("right")];
  const started = await startStepsInMemory(
    { maxDurationMs: 600, steps: [{ id: "all", type: "parallel", steps }] },
    { cwd, clock },
  );
  await whenStarted("left", 2);
  await whenStarted("right", 2);
  await clock.advance(600);
  expect((await started.over()).outcome).toBe("limit-reached");
  expect([...pidsOf("left"), ...pidsOf("right")].filter(isAlive)).toEqual([]);
});
