import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { troupe } from "./troupe-process.ts";

// What the troupe of 2026-11-22, the last before runs were sealed, left when its machine lost power: a trusted project with a
// run that waits for a permission, one that waits for an approval, one that has ended and one that its daemon kept.

const RECORDED = join(import.meta.dirname, "recorded-state.tar.gz");
/** What such a daemon says of later ones. */
const HINT = "end it, its runs go on in the new one: troupe daemon stop && troupe daemon start";
/** Where the project lay; runs remember it. */
const ONCE_AT = "/tmp/troupe-before-seals";
const [GATE, SHIP, ENDED, LIVE] = ["run_7xf5jx", "run_43fc01", "run_t0ddek", "run_fza5pt"] as const;

/** The recorded user on this machine. */
function recordedUser() {
  const root = mkdtempSync(join(tmpdir(), "troupe-upgrade-"));
  const [home, sockets] = [join(root, "home"), join(root, "run")];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(sockets, { mode: 0o700 });
  const unpacked = spawnSync("tar", ["-xzf", RECORDED, "-C", root, "--no-same-owner"]);
  if (unpacked.status !== 0) throw new Error(String(unpacked.stderr));
  const [project, state] = [join(root, "project"), join(root, "state")];
  for (const name of ["trust.json", "background.json", "projects.json"]) {
    const text = readFileSync(join(state, name), "utf8");
    writeFileSync(join(state, name), text.replaceAll(ONCE_AT, project));
  }
  // As RUN_MOVED says. One that a killed test left leads nowhere.
  if (lstatSync(ONCE_AT, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(ONCE_AT);
  symlinkSync(project, ONCE_AT);
  const env = {
    ...{ HOME: home, TROUPE_HOME: state, XDG_RUNTIME_DIR: sockets },
    ...{ XDG_STATE_HOME: join(home, ".local/state"), XDG_CONFIG_HOME: join(home, ".config") },
  };
  const type = (...args: readonly string[]) => troupe(project, args, env);
  onTestFinished(async () => {
    await type("daemon", "stop");
    rmSync(ONCE_AT);
    rmSync(root, { recursive: true });
  });
  return { type, state, sockets };
}

test("a user of the version before finds her trust and her runs, is told whose they are, and goes on with them [P21.before]", async () => {
  const { type } = recordedUser();
  expect((await type("trust", "--show")).out).toMatch(/^state +trusted$/m);
  const { out: runs } = await type("runs");
  for (const [run, state] of [
    [GATE, "foreign, waiting"],
    [SHIP, "foreign, waiting"],
    [ENDED, "foreign, completed"],
    [LIVE, "foreign, suspended"],
  ])
    expect(runs).toMatch(new RegExp(`${run} .*${state}`));
  expect(runs).toMatch(/4 runs were not made by you here: .*import RUN makes it yours/);
  expect((await type("show", ENDED)).out).toContain("first answer");
  const refused = await type("resume", GATE);
  expect([refused.exitCode, refused.err]).toEqual([2, expect.stringContaining("[RUN_FOREIGN]")]);

  expect((await type("import", GATE, "--yes")).out).toContain(`${GATE} is yours now`);
  const asked = await type("resume", GATE);
  expect([asked.exitCode, asked.out]).toEqual([3, expect.stringContaining("npm publish")]);
  const [permission = ""] = /prm_\w+/.exec(asked.out) ?? [];
  expect((await type("approve", permission)).exitCode).toBe(0);
  const published = await type("resume", GATE);
  expect([published.exitCode, published.out]).toEqual([0, expect.stringContaining("published")]);

  await type("import", SHIP, "--yes");
  expect((await type("approve", "--run", SHIP)).exitCode).toBe(0);
  const shipped = await type("resume", SHIP);
  expect([shipped.exitCode, shipped.out]).toEqual([0, expect.stringContaining("shipped")]);
  expect((await type("runs")).out).toMatch(new RegExp(`${SHIP} .*✔ completed +3/3`));
});

test("a run that the daemon of the version before kept goes on in the next one once it is taken over [P21.before]", async () => {
  const { type } = recordedUser();
  expect((await type("daemon", "status")).out).toMatch(
    new RegExp(`the daemon is not running[\\s\\S]*${LIVE} +desk@live +waits`),
  );
  expect((await type("import", LIVE, "--yes")).exitCode).toBe(0);
  expect((await type("daemon", "start")).exitCode).toBe(0);
  const sent = await type("send", "answerer@live", "and now?", "--wait");
  expect(sent.out + sent.err).toContain("second answer");
});

test("a daemon that finds runs of the version before leaves them alone, and says what makes them its user's [P21.before]", async () => {
  const { type } = recordedUser();
  const { out } = await type("daemon", "start");
  expect(out).toMatch(new RegExp(`${LIVE} +desk@live +given up .*not made by you here`));
  expect((await type("import", LIVE, "--yes")).out).toContain(`troupe resume ${LIVE}`);
});

test("a daemon of the version before that still runs takes nothing, and every command says how to end it [P21.daemon]", async () => {
  const { type, state, sockets } = recordedUser();
  const directory = join(sockets, "troupe");
  mkdirSync(directory, { mode: 0o700 });
  const socket = join(directory, "d.sock");
  const own = { pid: process.pid, version: "0.1.0", startedAt: "2026-11-22T21:12:25.000Z", socket };
  writeFileSync(join(state, "daemon.json"), JSON.stringify({ v: 1, ...own }), { mode: 0o600 });
  writeFileSync(join(state, "token"), `${"a".repeat(64)}\n`, { mode: 0o600 });
  const server = createServer((client) => {
    client.on("data", (line) => {
      const { ask } = JSON.parse(String(line));
      const run = {
        run: LIVE,
        workflow: "desk",
        instance: "live",
        project: "/p",
        state: "running",
      };
      const status = { ...own, isDraining: false, runs: [run], givenUp: [] };
      const details = { running: "0.1.0", own: "later" };
      const error = {
        code: "DAEMON_VERSION_MISMATCH",
        message: "of 0.1.0",
        hint: HINT,
        details,
      };
      const answer =
        ask.kind === "status"
          ? { v: 1, id: 1, ok: true, result: status }
          : { v: 1, id: 0, ok: false, error };
      client.write(`${JSON.stringify(answer)}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());

  const { out } = await type("daemon", "status");
  expect(out).toMatch(
    /troupe 0\.1\.0, since .*\nit takes nothing from this troupe, which is .*daemon stop/,
  );
  expect(out).toMatch(new RegExp(`${LIVE} +desk@live +running`));
  const refused = await type("start", "talk.yaml", "--background", "--instance", "other");
  expect(refused.exitCode).not.toBe(0);
  expect(refused.err).toMatch(/DAEMON_VERSION_MISMATCH[\s\S]*daemon stop/);
});
