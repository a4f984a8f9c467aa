import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  awaitInDaemon,
  daemonStatusOf,
  resumeInDaemon,
  startInDaemon,
  stopDaemon,
} from "../../src/app/background/ask-daemon.ts";
import {
  openBackgroundRuns,
  readBackgroundRuns,
} from "../../src/app/background/background-runs.ts";
import { daemonFiles } from "../../src/app/background/daemon-files.ts";
import { knownProjects } from "../../src/app/machine/known-projects.ts";
import { createMachineAt, type Machine } from "../../src/app/machine/machine.ts";
import { BUILD, VERSION } from "../../src/app/machine/place/version.ts";
import { commandRun } from "../../src/app/run/commands/command-run.ts";
import { readListing } from "../../src/app/runs/run-heads.ts";
import { loadFile } from "../../src/app/workflow/load-file.ts";
import { writeRecipe } from "../../src/app/workflow/shapes/run-recipe.ts";
import { sendLine } from "../../src/control/line-client.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { createHome, type DaemonHome, liveDaemon } from "./daemon-home.ts";
import { STUBBORN, TEAM } from "./workflows.ts";

test("a run that is handed over goes on in the daemon until it is stopped, and leaves the list then [DMN-1, KCK-4]", async () => {
  const home = createHome();
  await liveDaemon(home);
  const { machine, client, run } = await startTeam(home);
  const status = await daemonStatusOf(client);
  expect(status).toMatchObject({
    version: BUILD,
    runs: [{ run, project: home.cwd, workflow: "team", instance: "x", state: "running" }],
  });
  expect(readBackgroundRuns(home.files.background)).toMatchObject([{ run, status: "held" }]);
  // The same id in another project is another run.
  await expect(awaitInDaemon(client, { run, troupeDirectory: "/" })).rejects.toMatchObject({
    code: "DAEMON_RUN_NOT_HELD",
  });
  const parted = awaitInDaemon(client, asked(machine, run));
  const stopped = await commandRun(machine, run, { command: { kind: "stop" } });
  expect(stopped.status).toBe("done");
  expect(await parted).toEqual({ status: "ended", exitCode: 0 });
  expect(readBackgroundRuns(home.files.background)).toEqual([]);
  expect(knownProjects(home.env)).toEqual([home.cwd]);
  expect(readListing(machine.store, run, machine.isGone)).toMatchObject({ state: "completed" });
});

test("a daemon that is told to stop lets go of its runs, and the next one goes on with them [DMN-1, P13.daemon]", async () => {
  const home = createHome();
  const first = await liveDaemon(home);
  const { machine, client, run } = await startTeam(home);
  expect(await stopDaemon(client)).toBe(1);
  expect(await first.over).toBe(0);
  expect(await daemonStatusOf(client)).toBeUndefined();
  expect(readListing(machine.store, run, machine.isGone)).toMatchObject({ state: "suspended" });
  await liveDaemon(home);
  await expect.poll(() => daemonStatusOf(client)).toMatchObject({ runs: [{ run }] });
});

test("a run that was paused is not resumed by the next daemon, and can be handed over again [DMN-1, ENG-13]", async () => {
  const home = createHome();
  const first = await liveDaemon(home);
  const { machine, client, run } = await startTeam(home);
  const parted = awaitInDaemon(client, asked(machine, run));
  await commandRun(machine, run, { command: { kind: "pause" } });
  expect(await parted).toEqual({ status: "suspended", exitCode: 3 });
  await first.daemon.stop(0);
  await first.over;
  await liveDaemon(home);
  expect(await daemonStatusOf(client)).toMatchObject({ runs: [] });
  await resumeInDaemon(client, { ...placeOf(home), run });
  expect(await daemonStatusOf(client)).toMatchObject({ runs: [{ run }] });
});

test("a run of an agent that will not end is let go all the same [DMN-1, P13.daemon]", async () => {
  const home = createHome();
  const { daemon, over } = await liveDaemon(home);
  await startTeam(home, STUBBORN);
  expect(await daemon.stop(143)).toBe(1);
  expect(await over).toBe(143);
});

test("a run whose project cannot be looked into is given up and shown; one whose project is gone is forgotten [DMN-1]", async () => {
  const home = createHome();
  const { cwd } = home;
  const entry = {
    workflow: "team",
    instance: "default",
    project: cwd,
    cwd,
    deaths: 0,
    finished: 0,
  };
  // A link that leads to itself stands for all that is there and cannot be entered.
  const loop = join(home.root, "loop");
  symlinkSync(loop, loop);
  const list = openBackgroundRuns(home.files.background);
  list.put({ ...entry, run: "run_aaaaaa", troupeDirectory: loop, status: "held" });
  list.put({
    ...entry,
    run: "run_bbbbbb",
    troupeDirectory: join(home.root, "gone"),
    status: "held",
  });
  const { daemon, over } = await liveDaemon(home);
  await expect
    .poll(() => readBackgroundRuns(home.files.background))
    .toMatchObject([{ run: "run_aaaaaa", status: "given-up" }]);
  await daemon.stop(0);
  await over;
});

test("what cannot be started is refused with its own error, and nothing of it stays on the list [DMN-1]", async () => {
  const home = createHome();
  await liveDaemon(home);
  const { client } = await startTeam(home);
  await expect(startTeam(home)).rejects.toMatchObject({ code: "WORKFLOW_INSTANCE_RUNNING" });
  expect(readBackgroundRuns(home.files.background)).toHaveLength(1);
  const broken = { ...placeOf(home), recipe: "{}", options: {} };
  await expect(startInDaemon(client, broken)).rejects.toMatchObject({
    code: "WORKFLOW_DEFINITION_INVALID",
  });
});

test("socket, token and lists are for their user only, whatever the umask [DMN-1, T2]", async () => {
  const home = createHome();
  const before = process.umask(0);
  try {
    await liveDaemon(home);
    await startTeam(home);
  } finally {
    process.umask(before);
  }
  const { socket, token, record, background, directory } = home.files;
  const projects = join(directory, "projects.json");
  for (const file of [socket, token, record, background, projects])
    expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
});

test.each([
  ["another token", { token: "0".repeat(64) }, "DAEMON_DENIED"],
  ["no token", { token: undefined }, "RUN_CONTROL_MESSAGE_INVALID"],
  [
    "another version",
    { version: "0.0.1", ask: { kind: "await", run: "run_x", troupeDirectory: "/" } },
    "DAEMON_VERSION_MISMATCH",
  ],
  [
    "no word of its code, as earlier versions send it",
    { version: VERSION, ask: { kind: "await", run: "run_x", troupeDirectory: "/" } },
    "DAEMON_VERSION_MISMATCH",
  ],
  ["an unknown kind", { ask: { kind: "format-disk" } }, "RUN_CONTROL_MESSAGE_INVALID"],
  ["more than it may", { ask: { kind: "status", run: "run_x" } }, "RUN_CONTROL_MESSAGE_INVALID"],
])("a request with %s is refused [DMN-1, T1, P24.daemon]", async (_title, difference, code) => {
  const home = createHome();
  await liveDaemon(home);
  await expect(ask(home, difference)).rejects.toMatchObject({ code });
});

test("a client of another version can still ask how the daemon is, and stop it [DMN-1]", async () => {
  const home = createHome();
  const { over } = await liveDaemon(home);
  expect(await ask(home, { version: "0.0.1" })).toMatchObject({ status: "answered" });
  await ask(home, { version: "0.0.1", ask: { kind: "stop" } });
  expect(await over).toBe(0);
});

test("a record or a token that others may write is not believed, so nothing is sent anywhere [T2]", async () => {
  const home = createHome();
  await liveDaemon(home);
  const { token, record } = home.files;
  const { chmodSync } = await import("node:fs");
  const client = { env: home.env, clock: systemClock };
  for (const file of [token, record]) {
    chmodSync(file, 0o622);
    expect(await daemonStatusOf(client)).toBeUndefined();
    chmodSync(file, 0o600);
  }
  expect(await daemonStatusOf(client)).toBeDefined();
});

test("a daemon of another state directory neither takes the socket of a living one nor hides it [T2]", async () => {
  const home = createHome();
  const { daemon, over } = await liveDaemon(home);
  const env = { ...home.env, TROUPE_HOME: join(home.root, "other") };
  mkdirSync(env.TROUPE_HOME);
  const other = { ...home, env, files: daemonFiles(env) };
  const [client, otherClient] = [home, other].map(({ env }) => ({ env, clock: systemClock }));
  const elsewhere = {
    code: "DAEMON_ELSEWHERE",
    message: expect.stringContaining(home.files.directory),
  };
  await expect(liveDaemon(other)).rejects.toMatchObject(elsewhere);
  expect(readdirSync(env.TROUPE_HOME)).toEqual([]);
  if (client === undefined || otherClient === undefined) throw new RangeError("two clients");
  await expect(daemonStatusOf(otherClient)).rejects.toMatchObject(elsewhere);
  await expect(stopDaemon(otherClient)).rejects.toMatchObject(elsewhere);
  expect(await daemonStatusOf(client)).toMatchObject({ pid: process.pid });
  await daemon.stop(0);
  await over;
  await liveDaemon(other);
  expect(await daemonStatusOf(otherClient)).toMatchObject({ pid: process.pid });
});

test("a daemon whose list of runs was written by others or is damaged starts nothing [DMN-1, T2]", async () => {
  const home = createHome();
  writeFileSync(home.files.background, "{}");
  await expect(liveDaemon(home)).rejects.toMatchObject({ code: "DAEMON_STATE_UNREADABLE" });
});

interface StartedTeam {
  readonly machine: Machine;
  readonly client: { readonly env: DaemonHome["env"]; readonly clock: typeof systemClock };
  readonly run: string;
}

function asked({ project }: Machine, run: string) {
  return { run, troupeDirectory: project.troupeDirectory };
}

async function startTeam(home: DaemonHome, text: string = TEAM): Promise<StartedTeam> {
  const machine = createMachineAt({ cwd: home.cwd, env: home.env });
  const loaded = await loadFile(machine, { file: "team.yaml", text, until: "stopped" });
  expect(loaded.problems).toEqual([]);
  if (loaded.definition === undefined) throw new Error("no definition");
  const client = { env: home.env, clock: systemClock };
  const { text: recipe } = writeRecipe({ definition: loaded.definition });
  const options = { instance: "x" };
  const { run } = await startInDaemon(client, { ...placeOf(home), recipe, options });
  return { machine, client, run };
}

function placeOf({ cwd, env }: DaemonHome) {
  return { cwd, env: { ...env } };
}

/** A request as a client sends it, but for the difference. */
async function ask({ files }: DaemonHome, difference: { readonly [name: string]: unknown }) {
  const { readContact } = await import("../../src/app/background/daemon-record.ts");
  const contact = readContact(files);
  if (contact === undefined) throw new Error("no daemon");
  const { token } = contact;
  return sendLine({
    socketPath: files.socket,
    request: { token, version: BUILD, ask: { kind: "status" }, ...difference },
    version: 1,
    maxLineChars: 100_000,
    clock: systemClock,
    timeoutMs: 5000,
  });
}
