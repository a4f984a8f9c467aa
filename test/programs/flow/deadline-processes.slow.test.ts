import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  runStepsInMemory,
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

/** The processes that such a step started; fails while any of them lives. */
function expectGone(id: string, count: number): void {
  const file = join(cwd, `${id}.pids`);
  const pids = existsSync(file) ? readFileSync(file, "utf8").split(/\s+/).filter(Boolean) : [];
  expect(pids).toHaveLength(count);
  expect(pids.filter(isAlive)).toEqual([]);
}

/** A zombie that nobody has collected yet is not alive. */
function isAlive(pid: string): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

test("timeout_ms ends the processes of each attempt before the next begins [STP-4, ENG-6]", async () => {
  const step = { ...stubborn("retried"), timeoutMs: 400, maxAttempts: 2 };
  const run = await runStepsInMemory({ steps: [step] }, { cwd });
  expect(run.outcome).toBe("failed");
  expectGone("retried", 4);
});

test("max_duration_ms ends the processes of all steps, also of those inside of others [STP-3, ENG-6, ENG-7.outer]", async () => {
  const steps = [stubborn("left"), stubborn("right")];
  const run = await runStepsInMemory(
    { maxDurationMs: 600, steps: [{ id: "all", type: "parallel", steps }] },
    { cwd },
  );
  expect(run.outcome).toBe("limit-reached");
  expectGone("left", 2);
  expectGone("right", 2);
});
