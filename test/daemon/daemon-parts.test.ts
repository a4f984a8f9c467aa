import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  daemonEnvironment,
  forgetAllocation,
} from "../../src/app/background/daemon-environment.ts";
import { takeDaemonLock } from "../../src/app/background/daemon-record.ts";
import { runtimeDirectory } from "../../src/app/machine/place/project.ts";
import { createIdleWatch } from "../../src/daemon/daemon.ts";
import { createDaemonLog, rotateLog } from "../../src/daemon/daemon-log.ts";
import { RestingMemory, usedBytes } from "../../src/foundation/garbage.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";
import { createHome } from "./daemon-home.ts";

test("one daemon at a time holds the lock, and the next gets it once it is free [DMN-1]", () => {
  const { files } = createHome();
  const first = takeDaemonLock(files.lock);
  expect(first).toBeDefined();
  expect(takeDaemonLock(files.lock)).toBeUndefined();
  first?.release();
  const second = takeDaemonLock(files.lock);
  expect(second).toBeDefined();
  second?.release();
});

test("a state directory that cannot be is told with what to do [DMN-1]", () => {
  const { root } = createHome();
  writeFileSync(join(root, "file"), "");
  expect(() => takeDaemonLock(join(root, "file", "home", "daemon.lock"))).toThrow(
    expect.objectContaining({ code: "DAEMON_STATE_UNWRITABLE" }),
  );
});

test("a daemon ends after its time with nothing to do, counted anew whenever there was something [DMN-1]", async () => {
  const clock = createManualClock();
  let isIdle = true;
  const ends: number[] = [];
  const watch = createIdleWatch({
    clock,
    idleMs: 600_000,
    isIdle: () => isIdle,
    onIdle: () => ends.push(clock.monotonic()),
  });
  watch.look();
  await clock.advance(599_999);
  isIdle = false;
  watch.look();
  await clock.advance(3_600_000);
  isIdle = true;
  watch.look();
  watch.look();
  await clock.advance(599_999);
  expect(ends).toEqual([]);
  await clock.advance(1);
  expect(ends).toHaveLength(1);
  watch.close();
  expect(clock.timerCount).toBe(0);
});

test("the log is bounded whoever writes to it, and its lines drive no terminal [DMN-1, T12]", () => {
  const { root } = createHome();
  const file = join(root, "daemon.log");
  const log = createDaemonLog(createManualClock(), (line) =>
    writeFileSync(file, line, { flag: "a" }),
  );
  log.failure("a run", new Error("\u001b]0;title\u0007 it broke"));
  expect(readFileSync(file, "utf8")).not.toContain("\u001b");
  rotateLog(file, 1000);
  expect(existsSync(`${file}.1`)).toBe(false);
  writeFileSync(file, "x".repeat(2000), { flag: "a" });
  rotateLog(file, 1000);
  expect(statSync(file).size).toBe(0);
  log.info("after");
  expect(readFileSync(file, "utf8")).toBe("2026-01-01T00:00:00.000Z info  after\n");
});

test("a daemon keeps nothing of the run or the project that it was started from [DMN-1, ENG-6]", () => {
  const env = {
    PATH: "/bin",
    TROUPE_RUN: "run_x",
    TROUPE_OWNER: "1:2:3",
    TROUPE_DIR: "/p/.troupe",
    TROUPE_HOME: "/h",
    XDG_RUNTIME_DIR: "",
  };
  expect(daemonEnvironment(env)).toEqual({
    ...{ PATH: "/bin", TROUPE_HOME: "/h", XDG_RUNTIME_DIR: "" },
    MALLOC_MMAP_THRESHOLD_: "32768",
  });
});

test("how a daemon allocates memory is for the daemon alone, unless its user has said so", () => {
  const given = daemonEnvironment({ PATH: "/bin" });
  forgetAllocation(given);
  expect(given).toEqual({ PATH: "/bin" });
  const said = daemonEnvironment({ MALLOC_MMAP_THRESHOLD_: "4096" });
  forgetAllocation(said);
  expect(said).toEqual({ MALLOC_MMAP_THRESHOLD_: "4096" });
});

test("a daemon at rest collects what it has left behind, once, and not while it is busy", () => {
  const megabyte = 1024 * 1024;
  let [busyShare, usedBytes, collections] = [0.5, 100 * megabyte, 0];
  const memory = new RestingMemory({
    busyShare: () => busyShare,
    usedBytes: () => usedBytes,
    collect: () => {
      collections += 1;
      usedBytes = 40 * megabyte;
    },
  });
  memory.look();
  expect(collections).toBe(0);
  busyShare = 0.01;
  memory.look();
  memory.look();
  expect(collections).toBe(1);
  usedBytes = 47 * megabyte;
  memory.look();
  expect(collections).toBe(1);
  usedBytes = 48 * megabyte;
  memory.look();
  expect(collections).toBe(2);
});

test("what a process at rest holds no longer is free after a look", async () => {
  const memory = new RestingMemory();
  let held: unknown[] | undefined = Array.from({ length: 200_000 }, (_, index) => ({ index }));
  expect(held).toHaveLength(200_000);
  held = undefined;
  const before = usedBytes();
  // Whatever the tests beside it do, its own loop rests from here on.
  await expect
    .poll(
      () => {
        memory.look();
        return before - usedBytes();
      },
      { timeout: 15_000, interval: 200 },
    )
    .toBeGreaterThan(4 * 1024 * 1024);
});

test("sockets lie where their paths fit, also when the runtime directory has a long name [T2]", () => {
  const { root } = createHome();
  const long = join(root, "a".repeat(120));
  expect(runtimeDirectory({ XDG_RUNTIME_DIR: root })).toBe(join(root, "troupe"));
  mkdirSync(long);
  expect(runtimeDirectory({ XDG_RUNTIME_DIR: long }).length).toBeLessThan(85);
});
