import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Confinement } from "../../../src/contracts/host.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { createHost, type ProcessHost } from "../../../src/host/host.ts";
import { isMark } from "../../../src/host/kernel-mark.ts";
import { createProcessTable } from "../../../src/host/process-table.ts";
import { holdPath } from "../../../src/host/sandbox/sandbox-holds.ts";
import { has } from "../../machine.ts";
import { confinement } from "../confinement.ts";

const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const never = new AbortController().signal;

let root: string;
let place: string;
let host: ProcessHost;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-sandbox-")));
  place = join(root, "app");
  mkdirSync(join(place, "src"), { recursive: true });
  host = createHost({ run: "run_a", clock: systemClock, env, reaper: false });
});
afterEach(async () => {
  await host.close();
  rmSync(root, { recursive: true });
});

/** This Node may lie in the temporary directory, of which a confined program sees only what is named. */
const node = realpathSync(process.execPath);

function bounds(more: Partial<Confinement> = {}): Confinement {
  return confinement({ home: join(root, "home"), writable: [place], ...more });
}

function sh(command: string, confine: Confinement, signal = never) {
  return host.run({ command, cwd: place, env, confine, timeoutMs: 20_000 }, signal);
}

test("where nothing can confine it a program is not started, and the error says what to install [AGT-13, T18]", async () => {
  const bare = createHost({ run: "", clock: systemClock, env: { PATH: root }, reaper: false });
  const command = ["/bin/sh", "-c", "echo hi > out"];
  const started = bare.run({ command, cwd: place, env, confine: bounds() }, never);
  await expect(started).rejects.toMatchObject({
    code: "HOST_SANDBOX_UNAVAILABLE",
    hint: expect.stringContaining("install bubblewrap"),
  });
  expect(existsSync(join(place, "out"))).toBe(false);
  await bare.close();
});

test("the program that confines is Troupe's own, whatever PATH an agent has [AGT-13, T18]", async () => {
  writeFileSync(join(root, "bwrap"), "#!/bin/sh\necho fooled\n", { mode: 0o755 });
  const bare = createHost({ run: "", clock: systemClock, env: { PATH: "/none" }, reaper: false });
  const request = { command: "echo hi", cwd: place, env: { PATH: root }, confine: bounds() };
  await expect(bare.run(request, never)).rejects.toMatchObject({
    code: "HOST_SANDBOX_UNAVAILABLE",
  });
  await bare.close();
});

test("what stands in for a missing path goes with its last user, and what others put there stays", () => {
  const table = createProcessTable();
  const path = join(place, ".claude");
  const first = holdPath(path, table);
  const second = holdPath(path, table);
  first?.();
  expect(existsSync(path)).toBe(true);
  second?.();
  expect(existsSync(path)).toBe(false);
  // What a process left that was killed.
  mkdirSync(join(path, "troupe-hold-1-99-abcdabcd"), { recursive: true });
  holdPath(path, table)?.();
  expect(existsSync(path)).toBe(false);
  mkdirSync(path);
  expect(holdPath(path, table)).toBeUndefined();
  expect(holdPath(join(root, "none", "x"), table)).toBeUndefined();
});

describe.runIf(has("bubblewrap"))("bubblewrap", () => {
  test("a confined program writes in its place and nowhere else [AGT-13]", async () => {
    writeFileSync(join(root, "mine.txt"), "safe");
    const result = await sh(
      `echo a > ok.txt; echo b > ${root}/mine.txt; echo c > /etc/troupe-test; echo d > /tmp/scratch && cat /tmp/scratch`,
      bounds(),
    );
    expect(result.stdout).toBe("d\n");
    expect(readFileSync(join(place, "ok.txt"), "utf8")).toBe("a\n");
    expect(readFileSync(join(root, "mine.txt"), "utf8")).toBe("safe");
    expect(existsSync("/etc/troupe-test")).toBe(false);
    expect(existsSync("/tmp/scratch")).toBe(false);
  });

  test.each(["/tmp", "/var/tmp", "/dev/shm"])(
    "a program is confined to a place below %s, and what else is there stays unseen [AGT-13]",
    async (directory) => {
      const around = realpathSync(mkdtempSync(join(directory, "troupe-sandbox-")));
      onTestFinished(() => rmSync(around, { recursive: true }));
      const cwd = join(around, "app");
      mkdirSync(cwd);
      writeFileSync(join(around, "secret"), "secret");
      const command = `echo made > made; cat ../secret; echo scratch > ${directory}/scratch && cat ${directory}/scratch`;
      const confine = bounds({ writable: [cwd], hidden: [around] });
      const ended = await host.run({ command, cwd, env, confine, timeoutMs: 20_000 }, never);
      expect(ended).toMatchObject({ exitCode: 0, stdout: "scratch\n" });
      expect([readdirSync(cwd), existsSync(join(directory, "scratch"))]).toEqual([["made"], false]);
    },
  );

  test("hidden files and directories are not seen, those of other agents among them [AGT-13, T11, T16]", async () => {
    const home = join(root, "home");
    mkdirSync(join(home, ".ssh"), { recursive: true });
    writeFileSync(join(home, ".ssh/id"), "secret");
    writeFileSync(join(home, ".netrc"), "secret");
    const hidden = [join(home, ".ssh"), join(home, ".netrc"), join(home, ".aws")];
    const confine = bounds({ hidden, readOnly: [home] });
    const { stdout } = await sh(
      `ls -A ${home}/.ssh | wc -l; cat ${home}/.netrc 2>/dev/null | wc -c`,
      confine,
    );
    expect(stdout.split("\n").map((line) => line.trim())).toEqual(["0", "0", ""]);
  });

  test("protected paths stay as they are, absent ones too, and leave no trace [AGT-13, T18]", async () => {
    execFileSync("git", ["init", "--quiet"], { cwd: place });
    rmSync(join(place, ".git/hooks"), { recursive: true, force: true });
    const config = readFileSync(join(place, ".git/config"), "utf8");
    const names = [".git/hooks", ".git/config", ".claude", ".mcp.json"];
    const result = await sh(
      [
        "mkdir -p .claude && echo x > .claude/settings.json",
        "echo x > .mcp.json",
        "rm -rf .mcp.json .claude",
        "echo x > .git/hooks/pre-commit",
        "echo x >> .git/config",
        "mv .git elsewhere",
        "git add -A && git -c user.name=a -c user.email=a@b commit -qm x --allow-empty && echo committed",
      ].join("; "),
      bounds({ readOnly: names.map((name) => join(place, name)) }),
    );
    expect(result.stdout).toBe("committed\n");
    expect(readFileSync(join(place, ".git/config"), "utf8")).toBe(config);
    expect(readdirSync(place).sort()).toEqual([".git", "src"]);
    expect(existsSync(join(place, ".git/hooks"))).toBe(false);
  });

  test("without network nothing on this machine can be reached [AGT-12]", async () => {
    const server = createServer((socket) => socket.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const ask = `"${node}" -e 'require("net").connect(${port},"127.0.0.1").on("data",(d)=>console.log(String(d))).on("error",(e)=>console.log(e.code))'`;
    const readOnly = [node];
    expect((await sh(ask, bounds({ readOnly }))).stdout).toMatch(/^E[A-Z]+\n$/);
    const network = { hosts: [], local: [`127.0.0.1:${port}`] };
    expect((await sh(ask, bounds({ readOnly, network }))).stdout).toBe("hello\n");
    await new Promise((resolve) => server.close(resolve));
  });

  test("of a hidden directory the one socket that is named can be reached, without any network [AGT-13, T15]", async () => {
    const sockets = join(root, "sockets");
    mkdirSync(sockets);
    const [own, other] = [join(sockets, "own.sock"), join(sockets, "other.sock")];
    const servers = [own, other].map((path) =>
      createServer((socket) => socket.end("hello")).listen(path),
    );
    await Promise.all(servers.map((server) => once(server, "listening")));
    const ask = (path: string) =>
      `"${node}" -e 'require("net").connect("${path}").on("data",(d)=>console.log(String(d))).on("error",(e)=>console.log(e.code))'`;
    const { stdout } = await sh(`${ask(own)}; ${ask(other)}`, bounds({ sockets: [own] }));
    expect(stdout).toBe("hello\nENOENT\n");
    for (const server of servers) server.close();
  });

  test("ending a confined program ends all that it started, escaped and unmarked ones too [AGT-13, ENG-17]", async () => {
    const ending = new AbortController();
    const nap = `${40_000 + (process.pid % 10_000)}.5`;
    const runaway = `(env -i setsid sh -c "sleep ${nap}; :" &) ; trap "" TERM; echo on; sleep ${nap}`;
    const running = host.run(
      {
        command: runaway,
        cwd: place,
        env,
        confine: bounds(),
        onOutput: () => ending.abort(new Error("enough")),
      },
      ending.signal,
    );
    await expect(running).rejects.toThrow("enough");
    expect(spawnSync("pgrep", ["-f", `sleep ${nap}`], { encoding: "utf8" }).stdout).toBe("");
  });

  test("a confined program carries the mark of its family, by which it can tell where it stands [P11]", async () => {
    const { stdout } = await sh("env -i /bin/grep 'file locks' /proc/self/limits", bounds());
    expect(isMark(BigInt(/\d{19}/.exec(stdout)?.[0] ?? 0))).toBe(true);
  });

  test("the exit code, stdin and arguments are those of the program itself [AGT-13]", async () => {
    const command = ["/bin/sh", "-c", 'cat; printf "%s" "$1"; exit 7', "sh", "--a b"];
    const request = { command, cwd: place, env, confine: bounds(), stdin: "in:" };
    expect(await host.run(request, never)).toMatchObject({ exitCode: 7, stdout: "in:--a b" });
  });
});
