import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLeftovers } from "../../src/app/doctor/check-processes.ts";
import { endLeftovers } from "../../src/host/leftovers.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { casesOf } from "../cases.ts";
import { createTestHost, eventually, never, newTag, tagged } from "../host/survivors.ts";

const OWNER = fileURLToPath(new URL("trial-owner.ts", import.meta.url));
/** The full count is 50; a sample otherwise. */
const TRIALS = casesOf(40, 8);
const AT_ONCE = 2;
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const USERS = isRoot ? ["root", "an ordinary user"] : ["an ordinary user"];

/** A shell that may be executed and not be read, so that nobody may look into its processes. */
const HIDING_SHELL = join(mkdtempSync("/tmp/troupe-survivors-"), "sh");

beforeAll(() => {
  copyFileSync("/bin/sh", HIDING_SHELL);
  chmodSync(HIDING_SHELL, 0o111);
  chmodSync(dirname(HIDING_SHELL), 0o755);
});
afterAll(() => rmSync(dirname(HIDING_SHELL), { recursive: true }));

/**
 * Stays whatever happens to it, without environment, session and parents: three programs that fork twice,
 * ignore SIGTERM and hold stdout; one may not be looked into, one is not there yet when the others are.
 */
function stubborn(tag: string): string {
  const stay = `trap "" TERM; while :; do sleep 0.2; done # ${tag}`;
  const stays = [
    { before: "", shell: "sh" },
    { before: 'trap "" HUP;', shell: HIDING_SHELL },
    { before: "sleep 0.1;", shell: "sh" },
  ];
  return [
    "trap '' TERM",
    `set -- '${stay}'`,
    ...stays.map(
      ({ before, shell }) =>
        `env -i setsid sh -c '${before} env -i setsid ${shell} -c "$1" & ' sh "$1" &`,
    ),
    "echo on",
    "while :; do sleep 0.2; done",
  ].join("\n");
}

interface Trial {
  readonly owner: ChildProcess;
  readonly tag: string;
  /** Who stays, and is not the owner. */
  living(): Promise<readonly number[]>;
  /** Resolves when all that stay are there. */
  stand(): Promise<unknown>;
}

function startOwner(mode: string, user: string, command: string): ChildProcess {
  const asUser = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  const argv = [process.execPath, OWNER, mode, command];
  const [file = "", ...args] = isRoot && user !== "root" ? [...asUser, ...argv] : argv;
  return spawn(file, args, {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function begin(mode: string, user: string): Trial {
  const tag = newTag();
  const owner = startOwner(mode, user, stubborn(tag));
  const living = async () => (await tagged(tag)).filter((pid) => pid !== owner.pid);
  const stand = () => eventually(living, (pids) => pids.length >= 4);
  return { owner, tag, living, stand };
}

async function reaperOf(owner: ChildProcess): Promise<number> {
  const { entries } = await createProcessTable().list();
  const below = entries.filter((entry) => entry.parent === owner.pid && !entry.isDead);
  // The reaper alone gets nothing of the environment.
  const reaper = below.find((entry) => entry.variable("TROUPE_OWNER") === undefined);
  if (reaper === undefined) throw new Error("the owner has no reaper");
  return reaper.pid;
}

async function kill(owner: ChildProcess): Promise<void> {
  const gone = once(owner, "exit");
  owner.kill("SIGKILL");
  await gone;
}

/** What is left of it when it should have left nothing. */
async function survivorsOf(mode: string, user: string): Promise<readonly number[]> {
  const trial = begin(mode, user);
  const { owner, living, stand } = trial;
  switch (mode) {
    case "owner": {
      await stand();
      await kill(owner);
      return eventually(living, (pids) => pids.length === 0, 5000).catch(living);
    }
    case "owner and reaper": {
      await stand();
      process.kill(await reaperOf(owner), "SIGKILL");
      await kill(owner);
      await once(startOwner("sweep", user, ""), "exit");
      return living();
    }
    default: {
      const [code] = await once(owner, "exit");
      expect(code).toBe(0);
      return living();
    }
  }
}

async function survivorsOfAll(mode: string, user: string): Promise<readonly number[]> {
  const survivors: number[] = [];
  let left = TRIALS;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      survivors.push(...(await survivorsOf(mode, user)));
    }
  };
  // A sweep ends what any dead owner left, also that of a trial whose reaper is still at it.
  await Promise.all(Array.from({ length: mode === "owner and reaper" ? 1 : AT_ONCE }, lane));
  for (const pid of survivors) process.kill(pid, "SIGKILL");
  return survivors;
}

test
  .runIf(process.platform === "linux")
  .each(
    USERS.flatMap((user) =>
      ["time-out", "cancel", "owner", "owner and reaper"].map((mode) => ({ user, mode })),
    ),
  )(
  "no program of $user outlives the end by $mode, however it got away [ENG-6, P11]",
  async ({ user, mode }) => {
    expect(await survivorsOfAll(mode, user)).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "what an owner and its reaper left is named by the doctor before it is ended [P11]",
  async () => {
    const { owner, living, stand } = begin("owner", USERS[0] ?? "");
    await stand();
    process.kill(await reaperOf(owner), "SIGKILL");
    await kill(owner);
    const before = await living();
    const told = await pidsTold();
    const after = await living();
    expect(told).toEqual(expect.arrayContaining(before.filter((pid) => after.includes(pid))));
    await endLeftovers();
    expect(await living()).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "what throws its mark away outlives its run, and the doctor names it",
  async () => {
    const [host, tag] = [createTestHost(), newTag()];
    const leave = `env -i setsid sh -c 'ulimit -w 7 || ulimit -x 7; while :; do sleep 0.2; done # ${tag}' &`;
    const command = `env -i setsid sh -c "$1" & until ps -eo args | grep -q "^sh.*${tag}"; do :; done`;
    await host.run(
      { command: ["sh", "-c", command, "sh", leave], cwd: "/", env: host.baseEnv({}) },
      never,
    );
    // The shells that started it have its name for a moment.
    const left = await eventually(
      () => tagged(tag),
      (found) => found.length === 1,
    );
    expect(await pidsTold()).toEqual(expect.arrayContaining([...left]));
    for (const pid of left) process.kill(pid, "SIGKILL");
    await host.close();
  },
);

/** The pids that the doctor names. */
async function pidsTold(): Promise<readonly number[]> {
  const check = checkLeftovers({ table: createProcessTable() });
  const findings = await check.look(never);
  return findings.flatMap(({ text }) => [...text.matchAll(/\d+(?=,|$)/g)].map(Number));
}
