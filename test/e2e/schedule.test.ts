import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createUser, type DaemonUser } from "./daemon-user.ts";

const FLOW = `version: "1.0"
name: nightly-report
pattern: dag
params: { part: { type: string, required: true } }
agents: [{ id: writer, backend: command, command: [cat] }]
steps: [{ id: write, agent: writer, prompt: "{{params.part}}" }]
`;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

test("a schedule is kept by the daemon, makes up for what it slept through, and starts nothing twice over kill -9 [DMN-2.carried-out, DMN-2.made-up, DMN-2.once, DMN-2.seen]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "flow.yaml"), FLOW);
  const missing = await user.type("schedule", "flow.yaml", "--every", "6h");
  expect(missing).toMatchObject({ exitCode: 2, out: "" });
  expect(missing.err).toContain("part");
  expect(await user.daemonPid()).toBeUndefined();
  const args = ["flow.yaml", "--every", "6h", "-i", "part=all", "--name", "nightly"];
  const kept = await user.type("schedule", ...args);
  expect(kept).toMatchObject({ exitCode: 0, err: "" });
  expect(kept.out).toMatch(
    /^nightly is kept: flow\.yaml every 6h, next \d{4}-\d\d-\d\d \d\d:\d\d$/m,
  );
  const first = await user.daemonPid();
  expect(first).toBeGreaterThan(0);
  kill(first);
  sleepThrough(user, 13 * HOUR_MS);
  await user.type("daemon", "start");
  await expect.poll(() => startsOf(user)).toMatchObject([{ status: "started", missed: 1 }]);
  const [start] = await startsOf(user);
  await expect
    .poll(() => runsOf(user))
    .toMatchObject([
      {
        id: start?.run,
        workflow: "nightly-report",
        instance: "nightly",
        state: "completed",
        schedule: { name: "nightly", due: start?.due },
      },
    ]);
  expect((await user.type("runs")).out).toContain("nightly-report@nightly (schedule nightly)");
  expect((await user.type("show", start?.run ?? "")).out).toContain(
    `started by schedule nightly for ${start?.due}`,
  );
  expect((await user.type("schedule", "show", "nightly")).out).toContain(
    `started  ${start?.run}, made up for`,
  );
  kill(await user.daemonPid());
  await user.type("daemon", "start");
  expect((await user.type("schedule", "list")).out).toContain(`started ${start?.run}`);
  expect(await startsOf(user)).toHaveLength(1);
  expect(await runsOf(user)).toHaveLength(1);
}, 120_000);

test("a daemon that is killed as soon as it has decided on a start leaves it to the next one, which makes it once [DMN-2.once]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "flow.yaml"), FLOW);
  await user.type("schedule", "flow.yaml", "--every", "6h", "-i", "part=all", "--name", "nightly");
  kill(await user.daemonPid());
  for (let round = 1; round <= 4; round += 1) {
    // Each time is another one.
    sleepThrough(user, 6 * HOUR_MS + round * MINUTE_MS);
    const daemon = user.start("daemon", "serve");
    await expect.poll(() => listOf(user).schedules[0].starts.length, { interval: 1 }).toBe(round);
    daemon.kill("SIGKILL");
    await daemon.ended;
    await user.type("daemon", "start");
    await expect
      .poll(async () => (await runsOf(user)).map(({ state }) => state))
      .toEqual(Array.from({ length: round }, () => "completed"));
    await expect.poll(() => listOf(user).schedules[0].starts.at(-1).status).toBe("started");
    kill(await user.daemonPid());
  }
  const starts = await startsOf(user);
  expect(starts.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "started"));
  const decided = starts.map(({ due, run }) => `${run} ${due}`);
  const made = (await runsOf(user)).map(({ id, schedule }) => `${id} ${schedule.due}`);
  expect(made.toSorted()).toEqual(decided.toSorted());
}, 120_000);

test("a schedule is paused, resumed and removed, and the daemon ends once nothing is scheduled [DMN-2.pause, DMN-2.remove]", async () => {
  const user = createUser({ TROUPE_DAEMON_IDLE: "3s" });
  writeFileSync(join(user.cwd, "flow.yaml"), FLOW);
  const args = [
    "flow.yaml",
    "--cron",
    "0 3 * * *",
    "--time-zone",
    "Asia/Kolkata",
    "-i",
    "part=all",
  ];
  const kept = JSON.parse((await user.type("schedule", ...args, "--json")).out);
  expect(kept.schedule).toMatchObject({
    name: "flow",
    state: "active",
    cron: "0 3 * * *",
    timeZone: "Asia/Kolkata",
    next: expect.stringMatching(/T21:30:00\.000Z$/),
    params: { part: "all" },
    starts: [],
  });
  expect(await user.daemonPid()).toBeGreaterThan(0);
  expect(await user.type("schedule", ...args)).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("SCHEDULE_EXISTS"),
  });
  expect((await user.type("schedule", "pause", "flow")).out).toBe(
    "flow starts nothing until it is resumed\n",
  );
  await expect.poll(() => user.daemonPid()).toBeUndefined();
  expect((await user.type("schedule", "list")).out).toMatch(
    /flow +0 3 \* \* \* Asia\/Kolkata +paused/,
  );
  expect((await user.type("schedule", "resume", "flow")).exitCode).toBe(0);
  expect(await user.daemonPid()).toBeGreaterThan(0);
  expect((await user.type("schedule", "remove", "flow")).out).toBe("flow is removed\n");
  await expect.poll(() => user.daemonPid()).toBeUndefined();
  expect(JSON.parse((await user.type("schedule", "list", "--json")).out)).toEqual({
    v: 1,
    schedules: [],
  });
}, 120_000);

test("doctor says what is scheduled and how the daemon starts at login, and sets that up on demand [DMN-2.login]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "flow.yaml"), FLOW);
  await user.type("schedule", "flow.yaml", "--every", "1d", "-i", "part=all");
  expect(await loginOf(user)).toMatchObject({
    status: "note",
    text: expect.stringContaining("the daemon does not start at login"),
    hint: "troupe doctor --at-login",
  });
  const { exitCode, out } = await user.type("doctor", "--at-login", "--json");
  expect(exitCode).toBe(0);
  const { by, file } = JSON.parse(out);
  expect(by).toBe(process.platform === "darwin" ? "launchd" : "systemd");
  expect(readFileSync(file, "utf8")).toContain("daemon");
  expect(await loginOf(user)).toMatchObject({ status: "ok" });
}, 120_000);

interface ShownStart {
  readonly status: string;
  readonly due: string;
  readonly run?: string;
}

async function startsOf(user: DaemonUser): Promise<readonly ShownStart[]> {
  return JSON.parse((await user.type("schedule", "show", "nightly", "--json")).out).schedule.starts;
}

interface ShownRun {
  readonly id: string;
  readonly state: string;
  readonly schedule: { readonly name: string; readonly due: string };
}

async function runsOf(user: DaemonUser): Promise<readonly ShownRun[]> {
  return JSON.parse((await user.type("runs", "--json")).out).runs;
}

async function loginOf(user: DaemonUser): Promise<unknown> {
  const { findings } = JSON.parse((await user.type("doctor", "--json")).out);
  return findings.find(({ subject }: { readonly subject: string }) => subject === "login");
}

function kill(pid: number | undefined): void {
  if (pid !== undefined) process.kill(pid, "SIGKILL");
}

function listFile({ env }: DaemonUser): string {
  return join(env["TROUPE_HOME"] ?? "", "schedules.json");
}

function listOf(user: DaemonUser) {
  return JSON.parse(readFileSync(listFile(user), "utf8"));
}

/** Puts what decides on the next time back, as if that much had passed. */
function sleepThrough(user: DaemonUser, passedMs: number): void {
  const earlier = (time: string) => new Date(Date.parse(time) - passedMs).toISOString();
  const { v, schedules } = listOf(user);
  const [schedule] = schedules;
  schedule.decidedUntil = earlier(schedule.decidedUntil);
  schedule.rhythm.since = earlier(schedule.rhythm.since);
  writeFileSync(listFile(user), JSON.stringify({ v, schedules }));
}
