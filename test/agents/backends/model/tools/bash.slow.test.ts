import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelTools } from "../../../../../src/agents/backends/model/tools/registry.ts";
import { createManualClock } from "../../../../../src/testing/manual-clock.ts";
import { isAlive } from "../../backend-fixtures.ts";
import { usedTools } from "./tool-place.ts";

test("a command's output comes in its order, with how it ended unless it ended well [LOOP-2]", async () => {
  const { use } = await usedTools();
  expect(await use("Bash", { command: "echo a; echo b >&2; [[ -n x ]] && echo c" })).toBe(
    "a\nb\nc\n",
  );
  expect(await use("Bash", { command: "true" })).toBe("(it printed nothing)");
  await expect(use("Bash", { command: "echo no; exit 3" })).rejects.toThrow(
    "no\n\n(it exited with 3)",
  );
});

test("the last 30,000 characters of it are shown [LOOP-14.caps]", async () => {
  const { use } = await usedTools();
  const text = await use("Bash", { command: "yes 12345678 | head -c 100000; echo end" });
  expect(text.startsWith("(the beginning is not shown)\n")).toBe(true);
  expect(text.endsWith("end\n")).toBe(true);
  expect(text.length).toBeLessThan(30_100);
});

test("its time is bounded, and all that it started ends with it [LOOP-2, LOOP-14.caps]", async () => {
  const clock = createManualClock();
  const { use, cwd } = await usedTools({ clock });
  const command = "sleep 60 & echo $! > pid; wait";
  const error = use("Bash", { command, timeout: 300 }).catch((reason: unknown) => reason);
  const started = () =>
    existsSync(join(cwd, "pid")) ? readFileSync(join(cwd, "pid"), "utf8") : "";
  await expect.poll(started).toMatch(/^\d+\n$/);
  await clock.advance(300);
  expect(String(await error)).toContain("(it was ended after 300 ms)");
  expect(await isAlive(Number(started()))).toBe(false);
});

test("a command has two minutes unless it asks for more, and ten at most [LOOP-14.caps]", async () => {
  const { place } = await usedTools();
  const asked: (number | undefined)[] = [];
  const run: typeof place.host.run = async ({ timeoutMs }) => {
    asked.push(timeoutMs);
    const output = { stdout: "", stderr: "", stdoutTruncated: false, stderrTruncated: false };
    return { exitCode: 0, signal: null, timedOut: false, durationMs: 1, ...output };
  };
  const bash = modelTools.find(({ name }) => name === "Bash");
  const use = async (input: { readonly command: string; readonly timeout?: number }) => {
    const call = await bash?.prepare(input, { ...place, host: { ...place.host, run } });
    if (call === undefined || typeof call === "string") return call;
    const { signal } = new AbortController();
    const ask = async () => "";
    const more = { ask, plan: async () => ({ isApproved: true }), callTool: async () => null };
    return call.run({ signal, key: "k", emit: () => {}, ...more });
  };
  await use({ command: "make" });
  await use({ command: "make", timeout: 600_000 });
  expect(asked).toEqual([120_000, 600_000]);
  expect(await use({ command: "make", timeout: 600_001 })).toContain("600000");
});

test("a command in the background goes on, can be read and stopped, and ends with its session [LOOP-2]", async () => {
  const { use, place } = await usedTools();
  const background = { run_in_background: true };
  expect(await use("Bash", { command: "echo hello; sleep 60", ...background })).toBe(
    "It runs in the background as job-1.",
  );
  await use("Bash", { command: "echo $$; exec sleep 60", ...background });
  await use("Bash", { command: "echo quick", ...background });
  expect(await use("TaskOutput", { task_id: "job-3", timeout: 60_000 })).toBe(
    "job-3 has ended with 0\nquick\n",
  );
  expect(await use("TaskOutput", { task_id: "job-1" })).toContain("job-1 is running");
  expect(await use("TaskStop", { task_id: "job-1" })).toBe("Stopped job-1.");
  expect(await use("TaskOutput", { task_id: "job-1" })).toContain("job-1 stopped");
  await expect(use("TaskOutput", { task_id: "job-9" })).rejects.toThrow("there is no job-9");
  await place.jobs.close();
  const [, pid = ""] = /\n(\d+)\n/.exec(await use("TaskOutput", { task_id: "job-2" })) ?? [];
  expect(pid === "" || !(await isAlive(Number(pid)))).toBe(true);
});

test("at most ten commands run in the background [LOOP-14.caps]", async () => {
  const { use } = await usedTools();
  const start = () => use("Bash", { command: "sleep 60", run_in_background: true });
  for (let count = 0; count < 10; count += 1) await start();
  await expect(start()).rejects.toThrow("10 commands run in the background already");
});

test("a list of what is to be done is shown as it stands [LOOP-2]", async () => {
  const { use } = await usedTools();
  const todos = [
    { content: "look", status: "completed" },
    { content: "change", status: "in_progress" },
    { content: "check", status: "pending" },
  ];
  expect(await use("TodoWrite", { todos })).toBe("[x] look\n[>] change\n[ ] check");
});
