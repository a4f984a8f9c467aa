import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProcessTable } from "../../src/host/process-table.ts";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";
import { GATED } from "./workflows.ts";

const STARTED = /gate +● started/;

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 143],
] as const)(
  "a run that gets %s ends with %i, saves its state, and resume finishes it [ENG-18, P13.signals, P1, CLI-1]",
  async (signal, exitCode) => {
    const cwd = createProject({ "gated.yaml": GATED });
    const run = startTroupe(cwd, ["run", "gated.yaml"]);
    await run.seen(STARTED);
    await gateStarted(cwd);
    run.kill(signal);
    const ended = await run.ended;
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.out).toMatch(/suspended, state is saved: troupe resume run_\w{6}\n$/);
    expect(await isAlive(gatePid(cwd))).toBe(false);
    writeFileSync(join(cwd, "go"), "");
    const resumed = await troupe(cwd, ["resume", "@last"]);
    expect(resumed.exitCode).toBe(0);
    expect(resumed.out).toContain("passed");
    expect(readFileSync(join(cwd, "runs.txt"), "utf8")).toBe("ran\n");
  },
);

test("a run whose process is killed goes on where it was, and nothing survives it [ENG-2, ENG-6, P1, P11]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const run = startTroupe(cwd, ["run", "gated.yaml"]);
  await run.seen(STARTED);
  await gateStarted(cwd);
  const pid = gatePid(cwd);
  run.kill("SIGKILL");
  expect((await run.ended).exitCode).toBe(null);
  // Any command ends what the dead owner left, if the reaper has not done so yet.
  const shown = await troupe(cwd, ["show", "@last"]);
  expect(shown.out).toMatch(/its process is gone; go on with: troupe resume run_/);
  expect(await isAlive(pid)).toBe(false);
  expect((await troupe(cwd, ["runs"])).out).toContain("⏸ suspended");
  writeFileSync(join(cwd, "go"), "");
  expect((await troupe(cwd, ["resume", "@last"])).exitCode).toBe(0);
  expect(readFileSync(join(cwd, "runs.txt"), "utf8")).toBe("ran\n");
});

test("closing the pipe that a run writes to lets go of it cleanly [CLI-1]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const run = startTroupe(cwd, ["run", "gated.yaml", "--json=all"]);
  await run.seen(/"step":"gate"/);
  await gateStarted(cwd);
  run.child.stdout.destroy();
  // The next event finds nobody reading.
  const cancelled = await troupe(cwd, ["cancel", "@last"]);
  expect(cancelled.exitCode).toBe(0);
  const { exitCode, err } = await run.ended;
  expect(err).not.toContain("EPIPE");
  expect([1, 130]).toContain(exitCode);
});

test("a listing whose reader has gone ends quietly [CLI-1]", async () => {
  const listing = startTroupe(createProject(), ["--help"]);
  listing.child.stdout.destroy();
  const { exitCode, err } = await listing.ended;
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
});

test("a second SIGINT ends the process at once, and its children with it [ENG-6, P11, P13.second]", async () => {
  const cwd = createProject({
    "stubborn.yaml": GATED.replace("echo $$", "trap '' TERM INT; echo $$"),
  });
  const run = startTroupe(cwd, ["run", "stubborn.yaml"]);
  await run.seen(STARTED);
  await gateStarted(cwd);
  const pid = gatePid(cwd);
  run.kill("SIGINT");
  await errorSeen(run, "again to kill");
  run.kill("SIGINT");
  expect((await run.ended).exitCode).toBe(130);
  await troupe(cwd, ["runs"]);
  expect(await isAlive(pid)).toBe(false);
});

async function errorSeen({ child }: ReturnType<typeof startTroupe>, text: string): Promise<void> {
  let seen = "";
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk: string) => {
      seen += chunk;
      if (seen.includes(text)) resolve();
    });
  });
}

/** The program of the gate tells its pid in a file; there is no event for that. */
async function gateStarted(cwd: string): Promise<void> {
  while (!existsSync(join(cwd, "gate.pid")) || gatePid(cwd) === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

function gatePid(cwd: string): number {
  return Number(readFileSync(join(cwd, "gate.pid"), "utf8"));
}

/** A process that has ended and that nobody has asked about yet is not alive. */
async function isAlive(pid: number): Promise<boolean> {
  const { entries } = await createProcessTable().list();
  return entries.some((entry) => entry.pid === pid && !entry.isDead);
}
