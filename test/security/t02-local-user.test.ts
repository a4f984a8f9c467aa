import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startTroupe } from "../e2e/troupe-process.ts";
import { has } from "../machine.ts";
import { createVictim, type Victim } from "./victim.ts";

const NOBODY = 65534;
const WAITING = `name: w
pattern: fan-out
agents: [ { id: a, backend: command, command: "sleep 60" } ]
`;
const isRoot = has("root");

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

/** Whatever another user can do to sockets beyond connecting to them. */
const USE = `
const { connect } = require("node:net"); const fs = require("node:fs");
const told = (name, work) => { try { work(); console.log(name + " worked"); } catch (error) { console.log(name + " " + error.code); } };
for (const socket of process.argv.slice(1)) {
  told("unlink", () => fs.unlinkSync(socket));
  told("link", () => fs.symlinkSync("/dev/null", socket + ".new"));
  told("rename", () => fs.renameSync(socket, socket + ".old"));
  connect(socket).on("connect", () => console.log("connected")).on("error", (error) => console.log("connect " + error.code));
}
`;

test.runIf(isRoot)(
  "another user who takes the place of the sockets in the temporary directory first stops and hears nothing [T2]",
  async () => {
    const victim = createUser({ "w.yaml": WAITING });
    const temporary = join(dirname(victim.home), "tmp");
    mkdirSync(temporary);
    chmodSync(temporary, 0o1777);
    chmodSync(dirname(victim.home), 0o755);
    const place = join(temporary, "troupe-0");
    const as = { uid: NOBODY, gid: NOBODY, cwd: "/", encoding: "utf8" } as const;
    for (const take of [
      `fs.mkdirSync(${JSON.stringify(place)}, { mode: 0o777 })`,
      `fs.symlinkSync("/", ${JSON.stringify(place)})`,
    ]) {
      const took = spawnSync(
        process.execPath,
        ["-e", `const fs = require("node:fs"); ${take}`],
        as,
      );
      expect([took.status, lstatSync(place).uid]).toEqual([0, NOBODY]);
      const env = { ...victim.env, XDG_RUNTIME_DIR: "", TMPDIR: temporary };
      expect((await victim.as(env, "daemon", "start")).exitCode).toBe(0);
      expect((await victim.as(env, "run", "w.yaml", "go", "--detach")).exitCode).toBe(0);
      const sockets = join(victim.env["TROUPE_HOME"] ?? "", "sockets");
      const listed = () => readdirSync(sockets).filter((name) => name.endsWith(".sock"));
      await expect.poll(() => listed().length).toBe(3);
      // Also where the way to the sockets is open.
      for (const path of [victim.home, dirname(sockets)]) chmodSync(path, 0o755);
      const paths = listed().map((name) => join(sockets, name));
      const tried = spawnSync(process.execPath, ["-e", USE, ...paths], as);
      const refused = ["unlink EACCES", "link EACCES", "rename EACCES", "connect EACCES"];
      expect(tried.stdout.trim().split("\n").toSorted()).toEqual(
        paths.flatMap(() => refused).toSorted(),
      );
      expect((await victim.as(env, "cancel", "@last")).exitCode).toBe(0);
      expect((await victim.as(env, "daemon", "stop")).exitCode).toBe(0);
      expect(readdirSync(temporary)).toEqual(["troupe-0"]);
      rmSync(place, { recursive: true });
    }
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
  expect(readdirSync(home)).toEqual([]);
});

test("what lies at the path of the daemon's socket before it starts is replaced, never followed or written to [T2, SEC-6.links]", async () => {
  const victim = createUser();
  const place = join(victim.env["XDG_RUNTIME_DIR"] ?? "", "troupe");
  const file = join(victim.home, "mine");
  mkdirSync(place, { mode: 0o700 });
  writeFileSync(file, "mine");
  symlinkSync(file, join(place, "d.sock"));
  expect((await victim.troupe("daemon", "start")).exitCode).toBe(0);
  onTestFinished(async () => {
    await victim.troupe("daemon", "stop");
  });
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect(lstatSync(join(place, "d.sock")).isSocket()).toBe(true);
  expect(lstatSync(join(place, "d.sock")).mode & 0o777).toBe(0o600);
});

test.runIf(isRoot)(
  "a directory of sockets of another user is not used, and nothing is put into it [T2, SEC-6.owner]",
  async () => {
    const victim = createUser();
    const place = join(victim.env["XDG_RUNTIME_DIR"] ?? "", "troupe");
    mkdirSync(place, { mode: 0o700 });
    chownSync(place, NOBODY, NOBODY);
    const { exitCode, err } = await victim.troupe("daemon", "start");
    expect(exitCode).not.toBe(0);
    expect(err).toContain("is open to others");
    expect(readdirSync(place)).toEqual([]);
  },
);

const WORKFLOW = 'id: w\nsteps:\n  - { id: a, type: transform, transform: "1" }\n';

const believed = [
  { file: "key", line: ["run", "w.yaml"], code: "RUN_KEY_UNUSABLE" },
  { file: "host.db", line: ["runs"], code: "STATE_FOREIGN" },
  { file: "host.db-wal", line: ["runs"], code: "STATE_FOREIGN" },
  { file: "trust.json.lock", line: ["runs"], code: "STATE_FOREIGN" },
  { file: "daemon.lock", line: ["daemon", "start"], code: "STATE_FOREIGN" },
  { file: "daemon.log", line: ["daemon", "start"], code: "DAEMON_STATE_UNWRITABLE" },
  { file: "trust.json", line: ["trust", "--list"], code: "TRUST_UNREADABLE" },
] as const;

const damages: readonly (readonly [how: string, apply: (file: string, other: string) => void])[] = [
  ["is writable by others", (file) => chmodSync(file, 0o666)],
  ["is a link to a file elsewhere", (file, other) => replaceByLink(file, other)],
  ["is a link to nothing yet", (file, other) => replaceByLink(file, `${other}-later`)],
  ...(isRoot
    ? [["is another user's", (file: string) => chownSync(file, NOBODY, NOBODY)] as const]
    : []),
];

test.each(believed.flatMap((place) => damages.map(([how, apply]) => ({ ...place, how, apply }))))(
  "$file of the state that $how is refused, and nothing is written to where it leads [T2, SEC-6.owner, SEC-6.links]",
  async ({ file, line, code, apply }) => {
    const victim = createUser({ "w.yaml": WORKFLOW });
    const path = join(victim.env["TROUPE_HOME"] ?? "", file);
    const other = join(victim.home, "other");
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(path, "", { mode: 0o600 });
    writeFileSync(other, "");
    apply(path, other);
    const { exitCode, err } = await victim.troupe(...line);
    expect(err).toContain(`error[${code}]`);
    expect(exitCode).not.toBe(0);
    expect(readFileSync(other, "utf8")).toBe("");
    expect(readdirSync(victim.home).filter((name) => name.startsWith("other"))).toEqual(["other"]);
  },
);

test("what the daemon keeps in the state is written anew where others could have written it or led it out [T2, SEC-6.owner, SEC-6.links]", async () => {
  for (const [, apply] of damages) {
    const victim = createUser();
    const home = victim.env["TROUPE_HOME"] ?? "";
    const other = join(victim.home, "other");
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(other, "");
    for (const file of ["token", "daemon.json"]) {
      writeFileSync(join(home, file), "theirs", { mode: 0o600 });
      apply(join(home, file), other);
    }
    expect((await victim.troupe("daemon", "status")).out).toContain("not running");
    expect((await victim.troupe("daemon", "start")).exitCode).toBe(0);
    for (const file of ["token", "daemon.json"]) {
      const { uid, mode } = lstatSync(join(home, file));
      expect([file, uid, mode]).toEqual([file, process.getuid?.(), 0o100600]);
      expect(readFileSync(join(home, file), "utf8")).not.toContain("theirs");
    }
    expect((await victim.troupe("daemon", "stop")).exitCode).toBe(0);
    expect(readFileSync(other, "utf8")).toBe("");
  }
});

test("a list of background runs or a configuration that others could have written is refused [T2, SEC-6.owner]", async () => {
  for (const [file, line, code] of [
    ["background.json", ["daemon", "status"], "DAEMON_STATE_UNREADABLE"],
    ["config.yaml", ["config"], "CONFIG_FOREIGN"],
    ["../../project/.troupe/config.yaml", ["config"], "CONFIG_FOREIGN"],
  ] as const)
    for (const [how, apply] of damages.filter(([name]) => !name.includes("link"))) {
      const victim = createUser();
      const path = join(victim.env["TROUPE_HOME"] ?? "", file);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, "", { mode: 0o600 });
      apply(path, "");
      const { exitCode, err } = await victim.troupe(...line);
      expect([file, how, exitCode === 0, err]).toEqual([
        ...[file, how, false],
        expect.stringContaining(`error[${code}]`),
      ]);
    }
});

function replaceByLink(file: string, target: string): void {
  rmSync(file);
  symlinkSync(target, file);
}

async function withDaemon() {
  const victim = createUser();
  expect((await victim.troupe("daemon", "start")).exitCode).toBe(0);
  onTestFinished(async () => {
    await victim.troupe("daemon", "stop");
  });
  return victim;
}

function createUser(files: { readonly [path: string]: string } = {}): Victim & {
  readonly as: (env: Victim["env"], ...args: readonly string[]) => ReturnType<Victim["troupe"]>;
} {
  const victim = createVictim(files);
  return { ...victim, as: (env, ...args) => startTroupe(victim.project, args, env).ended };
}
