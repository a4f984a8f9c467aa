import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { CommandRequest, CommandResult } from "../../src/contracts/host.ts";
import type { ProcessHost } from "../../src/host/host.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";
import { createTestHost, eventually, never, newTag, tagged } from "./survivors.ts";

let host: ProcessHost;
let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "troupe-host-"));
  host = createTestHost();
});
afterAll(async () => {
  await host.close();
  rmSync(cwd, { recursive: true });
});

let tag: string;
afterEach(async () => expect(await tagged(tag)).toEqual([]));
const start = (command: string, more: Partial<CommandRequest> = {}, signal = never) => {
  tag = newTag();
  const env = host.baseEnv({ TEST_TAG: tag });
  return host.run({ command, cwd, env, ...more }, signal);
};

test.each([
  ["in the background", "sleep 300 & echo done"],
  ["holding stdout in a session of its own", "setsid sleep 300 & echo done"],
  ["forked twice", "(setsid sh -c 'sleep 300 & sleep 300 &' &) ; echo done"],
  ["ignoring SIGTERM", "(trap '' TERM; setsid sleep 300 & sleep 300) & echo done"],
])(
  "what a program leaves behind is gone when its run settles: %s [ENG-6, P11]",
  async (_, command) => {
    expect(await start(command)).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(await tagged(tag)).toEqual([]);
  },
);

test("a process of the group is ended though its environment was emptied [P11]", async () => {
  const mark = newTag();
  await start(`env -i sh -c 'sleep 300; : ${mark}' & echo done`);
  expect(await tagged(mark)).toEqual([]);
});

test("one that escaped all marks is ended on abort, found through its parent, even if that dies first [ENG-6, P11]", async () => {
  const mark = newTag();
  const stop = new AbortController();
  const escaped = `trap "" TERM; sleep 300; sleep 300; : ${mark}`;
  const running = start(`env -i setsid sh -c '${escaped}' & wait`, {}, stop.signal);
  await eventually(
    () => tagged(mark),
    (pids) => pids.length >= 2,
  );
  stop.abort(new Error("stop"));
  await expect(running).rejects.toThrow("stop");
  expect(await tagged(mark)).toEqual([]);
});

/** Runs a command whose time is over once it has printed something. */
async function timedOut(command: string, graceMs: number): Promise<CommandResult> {
  const clock = createManualClock();
  const timed = createTestHost({ clock, graceMs });
  tag = newTag();
  const env = timed.baseEnv({ TEST_TAG: tag });
  const onOutput = () => void clock.advance(60_000);
  try {
    return await timed.run({ command, cwd, env, timeoutMs: 60_000, onOutput }, never);
  } finally {
    await timed.close();
  }
}

test("at the timeout a program that ignores SIGTERM is killed after the grace period [ENG-6, ENG-7.programs, P12]", async () => {
  const command = "trap '' TERM; echo on; while :; do sleep 0.1; done";
  expect(await timedOut(command, 200)).toMatchObject({
    exitCode: null,
    signal: "SIGKILL",
    timedOut: true,
    stdout: "on\n",
  });
});

test("at the timeout a program may clean up on SIGTERM [ENG-6]", async () => {
  const command = "trap 'echo bye; exit 7' TERM; echo on; while :; do sleep 0.02; done";
  expect(await timedOut(command, 60_000)).toMatchObject({
    exitCode: 7,
    timedOut: true,
    stdout: "on\nbye\n",
  });
});

test("the timeout is told by the clock of the host [ENG-7.programs]", async () => {
  const clock = createManualClock();
  const timed = createTestHost({ clock });
  const env = timed.baseEnv({});
  const running = timed.run({ command: "sleep 300", cwd, env, timeoutMs: 60_000 }, never);
  await eventually(
    () => clock.timerCount,
    (count) => count === 1,
  );
  await clock.advance(60_000);
  expect(await running).toMatchObject({ timedOut: true, signal: "SIGTERM", durationMs: 60_000 });
  expect(clock.timerCount).toBe(0);
  await timed.close();
});

test("abort ends the whole family and rejects with its reason [ENG-6, P11]", async () => {
  const stop = new AbortController();
  const reason = { kind: "cancelled", reason: "test" };
  const running = start(
    "trap '' TERM; (setsid sleep 300 &); setsid sh -c 'trap \"\" TERM; sleep 300' & while :; do sleep 0.1; done",
    {},
    stop.signal,
  );
  await eventually(
    () => tagged(tag),
    (pids) => pids.length >= 4,
  );
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(await tagged(tag)).toEqual([]);
});

test("an aborted signal starts nothing", async () => {
  const running = start("touch started", {}, AbortSignal.abort(new Error("before")));
  await expect(running).rejects.toThrow("before");
  expect(await host.workspace(cwd).exists("started")).toBe(false);
});

test("a process that cannot be found again does not hold the run by its pipe", async () => {
  const mark = String(randomInt(10 ** 9, 10 ** 10));
  // It leaves its group, its parent and its marks before the program exits.
  const command = `(env -i setsid sleep ${mark} &); sleep 0.3; echo done`;
  expect(await start(command)).toMatchObject({ stdout: "done\n" });
  for (const pid of await tagged(mark)) process.kill(pid, "SIGKILL");
});

test("closing the host ends what still runs and lets its run settle [ENG-6]", async () => {
  const closing = createTestHost();
  tag = newTag();
  const env = closing.baseEnv({ TEST_TAG: tag });
  const running = closing.run({ command: "sleep 300", cwd, env }, never);
  await eventually(
    () => tagged(tag),
    (pids) => pids.length > 0,
  );
  await closing.close();
  expect(await running).toMatchObject({ signal: "SIGTERM", timedOut: false });
});
