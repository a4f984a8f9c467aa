import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { endLeftovers } from "../../src/host/leftovers.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { createTestHost, eventually, never, newTag, tagged } from "../host/survivors.ts";

const OWNER = fileURLToPath(new URL("../host/fixtures/owner.ts", import.meta.url));
const STUBBORN = [
  "trap '' TERM; setsid sleep 300 & echo on; while :; do sleep 0.2; done",
  "trap '' TERM; (setsid sh -c 'sleep 300 & sleep 300 &' &) ; echo on; sleep 300",
  "trap '' TERM HUP INT; env -i setsid sleep 300 & echo on; wait",
];

/** An owner whose commands have all started what they start. */
async function startOwner(tag: string): Promise<ChildProcess> {
  const env = { ...process.env, TEST_TAG: tag, NODE_OPTIONS: "" };
  const owner = spawn(process.execPath, [OWNER, ...STUBBORN], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (owner.stdout === null) throw new Error("the owner has no stdout");
  // What outlives a failed test would keep the suite from ending; the reaper ends the rest.
  onTestFinished(() => void owner.kill("SIGKILL"));
  await once(owner.stdout, "data");
  await eventually(
    () => tagged(tag),
    (pids) => pids.length > 7,
  );
  return owner;
}

async function kill(owner: ChildProcess): Promise<void> {
  const gone = once(owner, "exit");
  owner.kill("SIGKILL");
  await gone;
}

async function reaperOf(owner: ChildProcess): Promise<number> {
  const table = createProcessTable();
  const { entries } = await table.list();
  const reaper = entries.find(
    (entry) =>
      entry.parent === owner.pid && !entry.isDead && entry.variable("TEST_TAG") === undefined,
  );
  if (reaper === undefined) throw new Error("the owner has no reaper");
  return reaper.pid;
}

/** A process that still starts has no handlers yet; the one for SIGHUP, signal 1, is the last. */
function catchesHangup(pid: number): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (BigInt(`0x${caught ?? "0"}`) & 1n) === 1n;
}

function isRunning(pid: number): boolean {
  const entry = createProcessTable().find(pid);
  return entry !== undefined && !entry.isDead;
}

test("when the owner is killed its reaper ends everything within 5 s and exits, ignoring signals meanwhile [ENG-6, P11]", async () => {
  const tag = newTag();
  const owner = await startOwner(tag);
  const reaper = await reaperOf(owner);
  await eventually(
    () => catchesHangup(reaper),
    (catches) => catches,
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.kill(reaper, signal);
  const killedMs = performance.now();
  await kill(owner);
  await eventually(
    () => tagged(tag),
    (pids) => pids.length === 0,
  );
  expect(performance.now() - killedMs).toBeLessThan(5000);
  await eventually(
    () => isRunning(reaper),
    (running) => !running,
  );
});

test("when the reaper was killed too, the next start ends what is left, and nothing else [ENG-6, P11]", async () => {
  const tag = newTag();
  const otherTag = newTag();
  const host = createTestHost();
  const env = host.baseEnv({ TEST_TAG: otherTag });
  const other = host.run({ command: "exec sleep 300", cwd: "/", env }, never);
  const owner = await startOwner(tag);
  process.kill(await reaperOf(owner), "SIGKILL");
  await kill(owner);
  expect((await tagged(tag)).length).toBeGreaterThan(5);
  await endLeftovers({ graceMs: 200 });
  expect(await tagged(tag)).toEqual([]);
  // This one's owner, the test, lives.
  expect(await tagged(otherTag)).toHaveLength(1);
  await host.close();
  expect(await other).toMatchObject({ signal: "SIGTERM" });
});

test("an owner that exits without closing its host leaves nothing behind either [ENG-6]", async () => {
  const tag = newTag();
  const owner = await startOwner(tag);
  const gone = once(owner, "exit");
  owner.kill("SIGTERM");
  await gone;
  await eventually(
    () => tagged(tag),
    (pids) => pids.length === 0,
  );
});

test("closing the host sends its reaper away", async () => {
  const before = await children();
  const host = createTestHost({ reaper: true });
  await host.run({ command: ["true"], cwd: "/", env: {} }, never);
  expect((await children()).length).toBe(before.length + 1);
  await host.close();
  await host.close();
  expect(await children()).toEqual(before);
});

test("all hosts of a process share one reaper, which goes with the last of them", async () => {
  const before = await children();
  const hosts = [1, 2, 3].map(() => createTestHost({ reaper: true }));
  for (const host of hosts) await host.run({ command: ["true"], cwd: "/", env: {} }, never);
  expect((await children()).length).toBe(before.length + 1);
  for (const host of hosts) {
    expect((await children()).length).toBe(before.length + 1);
    await host.close();
  }
  expect(await children()).toEqual(before);
});

test("a reaper that died is replaced when the next program starts", async () => {
  const before = await children();
  const host = createTestHost({ reaper: true });
  const run = () => host.run({ command: ["true"], cwd: "/", env: {} }, never);
  await run();
  const [first] = (await children()).filter((pid) => !before.includes(pid));
  process.kill(first ?? 0, "SIGKILL");
  const second = await eventually(
    async () => {
      await run();
      return (await children()).filter((pid) => !before.includes(pid) && pid !== first);
    },
    (pids) => pids.length === 1,
  );
  expect(second).toHaveLength(1);
  await host.close();
  expect(await children()).toEqual(before);
});

async function children(): Promise<readonly number[]> {
  const { entries } = await createProcessTable().list();
  return entries
    .filter((entry) => entry.parent === process.pid && !entry.isDead)
    .map((entry) => entry.pid);
}
