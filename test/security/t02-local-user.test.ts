import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startTroupe } from "../e2e/troupe-process.ts";
import { createVictim, type Victim } from "./victim.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

/** What another user of the machine gets from trying to connect or read. */
const TRY = `
const { connect } = require("node:net"); const { readFileSync } = require("node:fs");
const [socket, ...files] = process.argv.slice(1);
for (const file of files) try { readFileSync(file); console.log("read " + file); } catch (error) { console.log(error.code); }
connect(socket).on("connect", () => { console.log("connected"); process.exit(); }).on("error", (error) => console.log(error.code));
`;

test.runIf(isRoot)(
  "another user of the machine reaches neither the daemon's socket nor its token, also past open directories above [T2]",
  async () => {
    const victim = await withDaemon();
    const socket = join(victim.env["XDG_RUNTIME_DIR"] ?? "", "troupe", "d.sock");
    const token = join(victim.env["TROUPE_HOME"] ?? "", "token");
    const tryIt = () => {
      const options = { uid: NOBODY, gid: NOBODY, cwd: "/", encoding: "utf8" } as const;
      return spawnSync(process.execPath, ["-e", TRY, socket, token], options).stdout;
    };
    expect(tryIt()).toBe("EACCES\nEACCES\n");
    for (const path of [victim.home, victim.project, dirname(victim.home)]) chmodSync(path, 0o755);
    chmodSync(victim.env["XDG_RUNTIME_DIR"] ?? "", 0o755);
    expect(tryIt()).toBe("EACCES\nEACCES\n");
    expect(statSync(token).mode & 0o777).toBe(0o600);
  },
);

test("a second daemon of another home neither takes the socket of a living one nor hides it [T2]", async () => {
  const victim = await withDaemon();
  const other = { ...victim.env, TROUPE_HOME: join(victim.home, "other") };
  const second = await victim.as(other, "daemon", "start");
  expect(second.exitCode).not.toBe(0);
  expect(second.err).toContain("error[DAEMON_ELSEWHERE]");
  expect(second.err).toContain(victim.env["TROUPE_HOME"]);
  expect((await victim.as(other, "daemon", "stop")).err).toContain("error[DAEMON_ELSEWHERE]");
  const status = JSON.parse((await victim.troupe("daemon", "status", "--json")).out);
  expect(status).toMatchObject({ isRunning: true, pid: expect.any(Number) });
});

test("a directory of sockets that is a link or open to others is not used [T2]", async () => {
  const victim = createUser();
  const place = join(victim.env["XDG_RUNTIME_DIR"] ?? "", "troupe");
  const elsewhere = join(victim.home, "elsewhere");
  mkdirSync(elsewhere, { mode: 0o700 });
  symlinkSync(elsewhere, place);
  const { exitCode, err } = await victim.troupe("daemon", "start");
  expect(exitCode).not.toBe(0);
  expect(err).toContain("is open to others");
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("a state directory that others may write to is refused [T2, SEC-6.owner]", async () => {
  const victim = createUser();
  const home = victim.env["TROUPE_HOME"] ?? "";
  mkdirSync(home);
  chmodSync(home, 0o777);
  for (const line of [["runs"], ["daemon", "status"], ["daemon", "start"]]) {
    const { exitCode, err } = await victim.troupe(...line);
    expect([line, exitCode === 0]).toEqual([line, false]);
    expect(err).toContain("error[STATE_FOREIGN]");
  }
  // Compiled code is kept there before any command looks: see bin/compile-cache.js.
  expect(readdirSync(home).filter((name) => name !== "cache")).toEqual([]);
});

async function withDaemon() {
  const victim = createUser();
  expect((await victim.troupe("daemon", "start")).exitCode).toBe(0);
  onTestFinished(async () => {
    await victim.troupe("daemon", "stop");
  });
  return victim;
}

function createUser(): Victim & {
  readonly as: (env: Victim["env"], ...args: readonly string[]) => ReturnType<Victim["troupe"]>;
} {
  const victim = createVictim();
  return { ...victim, as: (env, ...args) => startTroupe(victim.project, args, env).ended };
}
