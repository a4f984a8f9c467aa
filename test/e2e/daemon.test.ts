import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/foundation/clock.ts";
import { createUser } from "./daemon-user.ts";
import { troupe } from "./troupe-process.ts";
import { GATED } from "./workflows.ts";

const TEAM = `
context:
agents:
  ping: { backend: script, script: [ { say: "over to you @pong" } ] }
  pong: { backend: script, script: [ { say: "taken" } ] }
kickoff: "@ping begin"
`;

test("a workflow started in the background survives its terminal, is spoken to, and is completed by stop [KCK-4, KCK-8, DMN-1]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "team.yaml"), TEAM);
  const started = await user.type(
    "start",
    "team.yaml",
    "--background",
    "--instance",
    "pr-1",
    "--json",
  );
  expect(started).toMatchObject({ exitCode: 0, err: "" });
  const { run, workflow, instance } = JSON.parse(started.out);
  expect({ workflow, instance }).toEqual({ workflow: "team", instance: "pr-1" });
  const status = await user.type("daemon", "status");
  expect(status.out).toContain(`${run}  team@pr-1  running`);
  // Which code it is, so that no other code of this version hands its runs over.
  expect(status.out).toMatch(/troupe \d+\.\d+\.\d+\+[0-9a-f]{8},/);
  const sent = await user.type("send", "again", "--to", "ping@pr-1", "--wait");
  expect(sent.out).toContain("over to you @pong");
  const listed = await user.type("list");
  expect(listed.out).toMatch(/ping@pr-1 +run_\w+ +team\.yaml +script +idle/);
  const nothing = await user.type("stop");
  expect(nothing.exitCode).toBe(2);
  expect(nothing.err).toMatch(/name what to stop:\n {2}ping@pr-1\n {2}pong@pr-1\n {2}@pr-1\n/);
  expect((await user.type("stop", "ping@pr-1")).out).toBe("ping@pr-1 stopped\n");
  expect((await user.type("show", run, "--json")).out).toContain('"running"');
  expect((await user.type("stop", "@pr-1")).exitCode).toBe(0);
  const runs = JSON.parse((await user.type("runs", "--json")).out);
  expect(runs.runs).toMatchObject([{ id: run, state: "completed" }]);
});

test("a workflow started in the terminal goes on until Ctrl-C lets go of it, and the daemon can take it over [KCK-4]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "team.yaml"), TEAM);
  const attached = user.start("start", "team.yaml");
  await attached.seen(/taken/);
  attached.kill("SIGINT");
  expect(await attached.ended).toMatchObject({ exitCode: 130 });
  const resumed = await user.type("resume", "@last", "--detach");
  expect(resumed.out).toMatch(/^run_\w{6} \(team@default\) goes on in the background\n/);
  const refused = await user.type("resume", "@last");
  expect(refused).toMatchObject({ exitCode: 6 });
  expect(refused.err).toMatch(/ENGINE_RUN_OWNED.*daemon serve\)\n.*troupe logs -f .*troupe attach/);
});

test("a standalone agent lives in the daemon, answers, and is gone after rm [KCK-6, KCK-8]", async () => {
  const user = createUser();
  const made = await user.type("new", "helper", "--backend", "script");
  expect(made.out).toMatch(/^helper waits for messages in the background \(run_\w{6}\)\n/);
  const again = await user.type("new", "Helper", "--backend", "script", "--instance", "helper");
  expect(again).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("RUN_AGENT_NAME_TAKEN"),
  });
  expect((await user.type("list")).out).toMatch(/helper +run_\w+ +\(standalone\)/);
  expect((await user.type("ask", "@helper", "are you there?")).out).toBe("DONE: helper done\n");
  expect((await user.type("rm", "helper")).out).toMatch(/^helper is gone/);
  expect((await user.type("list")).out).not.toContain("helper");
  expect((await user.type("rm", "helper")).exitCode).toBe(2);
});

test("what is stopped while it still prepares begins nothing more [KCK-4, KCK-1]", async () => {
  const user = createUser();
  const setup = "setup: [ { shell: 'touch begun; until test -e go; do sleep 0.05; done' } ]\n";
  writeFileSync(join(user.cwd, "team.yaml"), setup + TEAM);
  await user.type("start", "team.yaml", "--background");
  await expect.poll(() => readdirSync(user.cwd)).toContain("begun");
  const stopping = user.start("stop", "@default");
  await expect
    .poll(async () => (await user.type("logs", "--json")).out)
    .toContain("command-received");
  writeFileSync(join(user.cwd, "go"), "");
  expect(await stopping.ended).toMatchObject({ exitCode: 0 });
  const events = (await user.type("logs", "--json")).out;
  expect(events).toContain('"outcome":"completed"');
  expect(events).not.toContain("turn-started");
});

test("run --detach hands a workflow to the daemon, which tells when it ended [DMN-1]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "gated.yaml"), GATED);
  const { out, exitCode } = await user.type("run", "gated.yaml", "--detach", "-q");
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^run_\w{6}\n$/);
  const logs = user.start("logs", "-f", out.trim());
  await logs.seen(/gate +● started/);
  writeFileSync(join(user.cwd, "go"), "");
  expect(await logs.ended).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("completed"),
  });
});

test("SIGTERM lets go of all runs within 10 seconds, and the next daemon goes on with them [DMN-1, P13.daemon]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "gated.yaml"), GATED);
  writeFileSync(join(user.cwd, "team.yaml"), TEAM);
  await user.type("run", "gated.yaml", "--detach");
  await user.type("start", "team.yaml", "--background");
  const pid = (await user.daemonPid()) ?? 0;
  const before = systemClock.monotonic();
  process.kill(pid, "SIGTERM");
  await expect.poll(() => isAlive(pid), { interval: 50 }).toBe(false);
  expect(systemClock.monotonic() - before).toBeLessThan(10_000);
  const stopped = JSON.parse((await user.type("runs", "--json")).out);
  expect(stopped.runs.map(({ state }: { state: string }) => state)).toEqual([
    "suspended",
    "suspended",
  ]);
  await user.type("daemon", "start");
  writeFileSync(join(user.cwd, "go"), "");
  await expect
    .poll(async () => (await user.type("runs")).out)
    .toMatch(/team@default +● running[\s\S]*gated@default +✔ completed/);
});

test("of 8 daemons that start at once one stays, and all of their starters find it [DMN-1]", async () => {
  const user = createUser();
  const starts = Array.from({ length: 8 }, () => user.start("daemon", "start", "--json"));
  const ended = await Promise.all(starts.map(({ ended }) => ended));
  const pids = ended.map(({ out, err, exitCode }) => {
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    return JSON.parse(out).pid;
  });
  expect(new Set(pids).size).toBe(1);
  const listening = user
    .log()
    .split("\n")
    .filter((line) => line.includes("listens at"));
  expect(listening).toHaveLength(1);
});

test("under any umask nobody else can reach the daemon or read its token [DMN-1, T2]", async () => {
  const user = createUser();
  const before = process.umask(0);
  try {
    expect((await user.type("daemon", "start")).exitCode).toBe(0);
  } finally {
    process.umask(before);
  }
  const home = user.env["TROUPE_HOME"] ?? "";
  for (const name of ["token", "daemon.json", "daemon.log", "daemon.lock"])
    expect([name, statSync(join(home, name)).mode & 0o777]).toEqual([name, 0o600]);
  const { socket } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8"));
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
});

test("a runtime directory with a long name is no obstacle [DMN-1, T2]", async () => {
  const user = createUser();
  const long = join(user.root, "x".repeat(100));
  mkdirSync(long, { mode: 0o700 });
  const env = { ...user.env, XDG_RUNTIME_DIR: long, TMPDIR: user.root };
  writeFileSync(join(user.cwd, "team.yaml"), TEAM);
  const started = await troupe(user.cwd, ["start", "team.yaml", "--background"], env);
  expect(started).toMatchObject({ exitCode: 0, err: "" });
  expect((await troupe(user.cwd, ["stop", "--all"], env)).out).toMatch(
    /^team@default .* stopped\n$/,
  );
});

test("with a home that cannot be, background runs are refused and all else works [DMN-1]", async () => {
  const user = createUser();
  writeFileSync(join(user.root, "file"), "");
  writeFileSync(join(user.cwd, "team.yaml"), TEAM);
  const env = { ...user.env, TROUPE_HOME: "", HOME: join(user.root, "file", "home") };
  const refused = await troupe(user.cwd, ["start", "team.yaml", "--background"], env);
  expect(refused).toMatchObject({ exitCode: 6, out: "" });
  expect(refused.err).toMatch(/error\[DAEMON_STATE_UNWRITABLE\].*\n.*TROUPE_HOME/);
  writeFileSync(join(user.cwd, "gated.yaml"), GATED);
  writeFileSync(join(user.cwd, "go"), "");
  expect(await troupe(user.cwd, ["run", "gated.yaml"], env)).toMatchObject({ exitCode: 0 });
});

test("a daemon with nothing to do ends by itself, and is started again when it is needed [DMN-1]", async () => {
  // Longer than a command on a busy machine takes between its start of the daemon and its request.
  const user = createUser({ TROUPE_DAEMON_IDLE: "2s" });
  await user.type("daemon", "start");
  await expect.poll(() => user.daemonPid()).toBeUndefined();
  expect(user.log()).toContain("nothing left to do");
  expect((await user.type("new", "helper", "--backend", "script")).exitCode).toBe(0);
  expect(await user.daemonPid()).toBeDefined();
});

test("a daemon whose home is taken away ends by itself instead of living on unseen [DMN-1, P11]", async () => {
  const user = createUser();
  await user.type("daemon", "start");
  const pid = (await user.daemonPid()) ?? 0;
  rmSync(user.env["TROUPE_HOME"] ?? "", { recursive: true });
  await expect.poll(() => isAlive(pid), { interval: 100 }).toBe(false);
});

test("a daemon that cannot start is told with the end of its log [DMN-1]", async () => {
  const user = createUser({ TROUPE_DAEMON_IDLE: "soon" });
  const { exitCode, err } = await user.type("daemon", "start");
  expect(exitCode).toBe(6);
  expect(err).toMatch(/error\[DAEMON_NOT_STARTED\][\s\S]*TROUPE_DAEMON_IDLE takes a duration/);
  const logs = await user.type("daemon", "logs", "-n", "1");
  expect(logs.out).toContain("TROUPE_DAEMON_IDLE");
});

test("agents of a run neither start nor stop what goes on in the background [T14, KCK-4]", async () => {
  const user = createUser();
  writeFileSync(join(user.cwd, "team.yaml"), TEAM);
  const env = { ...user.env, TROUPE_RUN: "run_abcdef" };
  const lines = [
    "start team.yaml --background",
    "new helper",
    "stop --all",
    "rm helper",
    "run team.yaml --detach",
    "daemon stop",
  ];
  for (const line of lines) {
    const { exitCode, err } = await troupe(user.cwd, line.split(" "), env);
    expect([line, exitCode]).toEqual([line, 2]);
    expect(err).toContain("error[USAGE_CONTROL_BY_AGENT]");
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
