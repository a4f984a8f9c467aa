import { spawn } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createUser } from "./daemon-user.ts";
import { createProject, troupe } from "./troupe-process.ts";

const BIN = join(import.meta.dirname, "../../bin/troupe.js");
const QUIET = `name: quiet
pattern: dag
agents: [{ id: quiet, backend: command, command: "echo hi" }]
steps: [{ id: one, agent: quiet }]
`;

/** Starts `troupe` whose standard output, and standard error if asked, is as a file on a full disk. */
function startFull(
  args: readonly string[],
  {
    cwd,
    env = {},
    isMute = false,
  }: { cwd: string; env?: { readonly [name: string]: string }; isMute?: boolean },
) {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", full, isMute ? full : "pipe"],
  });
  closeSync(full);
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const ended = new Promise<{ exitCode: number | null; err: string }>((resolve) => {
    child.on("close", (exitCode) => resolve({ exitCode, err }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended };
}

test.each(["runs", "runs --json", "show @last --json", "logs @last", "--help", "--version"])(
  "what %s has to say and nowhere to write is told, and the command has failed",
  async (line) => {
    const cwd = createProject({ "quiet.yaml": QUIET });
    await troupe(cwd, ["run", "quiet.yaml", "go"]);
    const { exitCode, err } = await startFull(line.split(" "), { cwd }).ended;
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining("standard output cannot be written: ENOSPC"),
    ]);
    expect(err).not.toContain("    at ");
    if (line.includes("--json")) expect(JSON.parse(err).error.code).toBe("OUTPUT_UNWRITABLE");
  },
);

test("a run that cannot be told any more is let go, says so and how to go on, and comes to its end", async () => {
  const cwd = createProject({ "quiet.yaml": QUIET });
  const { exitCode, err } = await startFull(["run", "quiet.yaml", "go"], { cwd }).ended;
  expect(exitCode).toBe(130);
  expect(err).toContain("error[OUTPUT_UNWRITABLE]");
  const [, run = ""] = /stopping…; resume with: troupe resume (run_\w{6})/.exec(err) ?? [];
  const resumed = await troupe(cwd, ["resume", run]);
  expect([resumed.exitCode, resumed.out]).toEqual([0, expect.stringContaining("✔ done")]);
});

test("a daemon whose log has no room goes on with its runs", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "quiet.yaml"), QUIET);
  const { child } = startFull(["daemon", "serve"], { ...user, isMute: true });
  await expect.poll(() => user.daemonPid()).toBe(child.pid);
  const started = await user.type("run", "quiet.yaml", "go", "--detach");
  expect(started).toMatchObject({ exitCode: 0, err: "" });
  const stateOf = async () => JSON.parse((await user.type("runs", "--json")).out).runs[0].state;
  await expect.poll(stateOf).toBe("completed");
  expect(await user.daemonPid()).toBe(child.pid);
});
