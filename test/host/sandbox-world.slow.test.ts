import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Confinement } from "../../src/contracts/host.ts";
import { has } from "../machine.ts";
import { confinement } from "./confinement.ts";

const IS_ROOT = has("root");
const NOBODY = 65534;
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

interface World {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  write(path: string, text: string, mode?: number): string;
  run(command: string, more?: RunOptions): string;
}

interface RunOptions {
  readonly user?: "nobody" | "own";
  readonly path?: string;
  readonly home?: string;
  readonly confine?: Partial<Confinement>;
  /** A descriptor that the process around the sandbox gets as its number 17. */
  readonly leaked?: number;
}

/** A home and a project of their own, in which confined commands run. */
function createWorld(): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-world-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const [home, project] = [join(root, "home"), join(root, "project")];
  for (const directory of [home, project]) mkdirSync(directory);
  return {
    ...{ root, home, project },
    write: (path, text, mode = 0o644) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      return file;
    },
    run: (command, options = {}) => {
      const { user = "own", path = SYSTEM_PATH, leaked } = options;
      const confine = confinement({ home, writable: [project], ...options.confine });
      const env = { PATH: path, HOME: options.home ?? home };
      const order = JSON.stringify({ command, cwd: project, env, confine });
      const helper = join(import.meta.dirname, "confined-run.ts");
      const node = realpathSync(process.execPath);
      const as =
        user === "nobody"
          ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]
          : [];
      if (user === "nobody") for (const each of [home, project]) chownSync(each, NOBODY, NOBODY);
      const [file = node, ...args] = [...as, node, helper, order];
      const holes = Array.from({ length: 14 }, () => "ignore" as const);
      const ended = spawnSync(file, args, {
        encoding: "utf8",
        env: { PATH: SYSTEM_PATH, HOME: home, SECRET_OF_TROUPE: "hunter2" },
        stdio: ["ignore", "pipe", "pipe", ...(leaked === undefined ? [] : [...holes, leaked])],
      });
      return ended.stdout + ended.stderr;
    },
  };
}

const USERS = IS_ROOT ? (["own", "nobody"] as const) : (["own"] as const);

describe.runIf(has("bubblewrap"))("the world of a confined program", () => {
  test.each(USERS)(
    "has no settings of the kernel to write and no secrets of the system to read, as user %s [SEC-5.system, T11]",
    (user) => {
      const world = createWorld();
      // Opened for writing only: the kernel decides, and nothing is written.
      const opened = (path: string) => `( : >> ${path} ) 2>/dev/null && echo "opened ${path}"`;
      const files = [
        ...[
          "/proc/sys/kernel/core_pattern",
          "/proc/sys/kernel/hostname",
          "/proc/sys/vm/drop_caches",
        ],
        ...["/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/file-max", "/proc/sysrq-trigger"],
        ...[
          "/proc/irq/default_smp_affinity",
          "/proc/acpi/wakeup",
          "/etc/x",
          "/usr/x",
          "/x",
          "/dev/x",
        ],
      ];
      const read = ["/etc/shadow", "/etc/gshadow", "/proc/kcore", "/proc/kmsg", "/proc/kallsyms"];
      const missing = [
        "/sys",
        "/run",
        "/root/.profile",
        "/boot",
        "/mnt",
        "/srv",
        "/home/*",
        "/var/lib",
      ];
      const out = world.run(
        [
          ...files.map(opened),
          ...read.map(
            (path) => `head -c 20 ${path} 2>/dev/null | grep -q . && echo "read ${path}"`,
          ),
          ...missing.map((path) => `ls -d ${path} >/dev/null 2>&1 && echo "saw ${path}"`),
          "unshare --user true 2>/dev/null && echo nested",
          'test "$(id -u)" = 0 && echo root',
          "echo end",
        ].join("\n"),
        { user },
      );
      expect(out).toBe("end\n");
    },
  );

  test.each(USERS)("has files that are the user's outside, as user %s [SEC-5.home]", (user) => {
    const world = createWorld();
    expect(world.run("touch made && stat -c %U made && cat made", { user })).toBe("user\n");
    const { uid } = spawnStat(join(world.project, "made"));
    expect(uid).toBe(user === "nobody" ? NOBODY : process.getuid?.());
  });

  test("has no processes, environment or descriptors but the agent's own [SEC-5.system, T11]", () => {
    const world = createWorld();
    const leaked = openSync(world.write("secret.txt", "hunter2"), "r");
    onTestFinished(() => closeSync(leaked));
    const out = world.run(
      [
        'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -c hunter2',
        "readlink /proc/$$/fd/17; cat /proc/$$/fd/17",
        // Bubblewrap, the shell and what it starts.
        'ls /proc | grep -c "^[0-9]" | while read count; do test $count -lt 8 && echo few; done',
      ].join("\n"),
      { leaked },
    );
    expect(out).toBe("0\n/dev/null\nfew\n");
  });

  test("reaches no unix socket: of the home, of the project, of the system, or an abstract one [SEC-5.system, T15]", async () => {
    const world = createWorld();
    const abstract = `\0troupe-test-${process.pid}`;
    const paths = [join(world.home, "bus"), join(world.project, "agent.sock"), abstract];
    for (const path of paths) {
      const server = createServer((socket) => socket.end("hello"));
      await new Promise<void>((resolve) => server.listen(path, resolve));
      onTestFinished(() => void server.close());
    }
    const tried = [
      ...paths,
      "/run/docker.sock",
      "/run/user/1000/bus",
      "/run/dbus/system_bus_socket",
    ];
    const script = `
import socket, sys
for path in ${JSON.stringify(tried)}:
    try:
        end = socket.socket(socket.AF_UNIX)
        end.connect(path)
        print("reached", path)
    except OSError as error:
        print(error.errno)
print(len(socket.socketpair()))`;
    writeFileSync(join(world.project, "try.py"), script.replaceAll("\\u0000", "\\0"));
    const out = world.run(
      `python3 try.py || ${JSON.stringify(realpathSync(process.execPath))} --version`,
      {
        path: process.env["PATH"] ?? SYSTEM_PATH,
        home: homedir(),
      },
    );
    // The kernel makes no socket of that family at all.
    expect(out).toBe(`${tried.map(() => "97").join("\n")}\n2\n`);
  });

  test("has programs that work under the filter of calls: node, git, cc, npm and pools of processes [SEC-5.system]", () => {
    const world = createWorld();
    writeFileSync(join(world.project, "a.c"), "int main(void) { return 7; }\n");
    const script = `
const { execFileSync, fork } = require("node:child_process");
const { Worker } = require("node:worker_threads");
require("node:http").createServer((_, answer) => answer.end("hi")).listen(0, "127.0.0.1", async function () {
  console.log(await (await fetch("http://127.0.0.1:" + this.address().port)).text());
  console.log(execFileSync("git", ["--version"]).toString().slice(0, 3));
  new Worker("require('worker_threads').parentPort.postMessage(1)", { eval: true }).once("message", () => {
    console.log("worker");
    process.exit();
  });
});`;
    writeFileSync(join(world.project, "try.cjs"), script);
    const node = realpathSync(process.execPath);
    const out = world.run(
      `cc a.c -o a && ./a; echo $?; ${node} try.cjs; npm --version >/dev/null && echo npm`,
    );
    expect(out).toBe("7\nhi\ngit\nworker\nnpm\n");
  });

  test("has the programs of PATH with what was installed around them, and nothing else of the home [SEC-5.home]", () => {
    const world = createWorld();
    const script = (...lines: readonly string[]) => `#!/bin/sh\n${lines.join("\n")}\n`;
    const { home } = world;
    world.write("home/.nvm/versions/node/v1/lib/node.txt", "nvm");
    world.write(
      "home/.nvm/versions/node/v1/bin/fake-node",
      script('cat "$(dirname "$0")/../lib/node.txt"; echo'),
      0o755,
    );
    world.write("home/.pyenv/versions/3/python.txt", "pyenv");
    world.write(
      "home/.pyenv/shims/fake-python",
      script("cat ~/.pyenv/versions/3/python.txt; echo"),
      0o755,
    );
    world.write("home/.rustup/toolchains/one/rust.txt", "rustup");
    world.write("home/.cargo/credentials.toml", "hunter2");
    world.write(
      "home/.cargo/bin/fake-rust",
      script("cat ~/.rustup/toolchains/one/rust.txt; echo"),
      0o755,
    );
    world.write("elsewhere/tool/data.txt", "linked");
    world.write(
      "elsewhere/tool/bin/fake-tool",
      script(`cat ${world.root}/elsewhere/tool/data.txt; echo`),
      0o755,
    );
    mkdirSync(join(home, ".local/bin"), { recursive: true });
    symlinkSync(
      join(world.root, "elsewhere/tool/bin/fake-tool"),
      join(home, ".local/bin/fake-tool"),
    );
    world.write("home/notes.txt", "hunter2");
    const path = [".nvm/versions/node/v1/bin", ".pyenv/shims", ".cargo/bin", ".local/bin"];
    const out = world.run(
      "fake-node; fake-python; fake-rust; fake-tool; cat ~/.cargo/credentials.toml ~/notes.txt 2>/dev/null; echo x 2>/dev/null >> ~/.cargo/bin/fake-rust; ls -A ~ | sort | tr '\\n' ' '",
      { path: [...path.map((each) => join(home, each)), SYSTEM_PATH].join(":") },
    );
    expect(out).toBe("nvm\npyenv\nrustup\nlinked\n.cargo .local .nvm .pyenv .rustup ");
  });

  test.each([
    ["python3", "--version"],
    ["cargo", "--version"],
    ["rustc", "--version"],
    ["node", "--version"],
    ["npm", "--version"],
  ])("has %s as this machine has it [SEC-5.home]", (program, argument) => {
    const { PATH: path = SYSTEM_PATH } = process.env;
    const outside = spawnSync(program, [argument], { encoding: "utf8", cwd: "/" });
    if (outside.status !== 0) return;
    const world = createWorld();
    const home = homedir();
    expect(world.run(`${program} ${argument}`, { path, home, confine: { home } })).toBe(
      outside.stdout,
    );
  });

  test("is there by the names that links give it [SEC-5.home]", () => {
    const world = createWorld();
    const { root, project } = world;
    symlinkSync(project, join(root, "link"));
    const out = world.run(`cd ${root}/link && touch by-link && pwd -P`, {
      confine: { writable: [join(root, "link")] },
    });
    expect(out).toBe(`${project}\n`);
    expect(existsSync(join(project, "by-link"))).toBe(true);
  });

  test("keeps its cache where it is told to, and scratch directories to itself [SEC-5.home, SEC-5.login]", () => {
    const world = createWorld();
    const cache = join(world.root, "cache");
    mkdirSync(cache);
    const login = join(world.home, ".tool");
    world.write("home/.tool/token.json", "old");
    world.write("home/.tool/settings.json", "mine");
    world.write("home/.tool/snapshots/theirs.sh", "theirs");
    mkdirSync(join(login, "sessions"));
    const out = world.run(
      [
        "mkdir -p ~/.cache/npm && echo kept > ~/.cache/npm/x",
        "cd ~/.tool && echo new > token.json && echo one > sessions/a",
        "(echo x > settings.json; echo x > hooks.json; rm settings.json; mv ~/.tool ~/.other) 2>/dev/null",
        "ls -A snapshots; echo mine > snapshots/mine.sh; cat settings.json",
      ].join("\n"),
      {
        confine: {
          ...{ cache, readOnly: [login], scratch: [join(login, "snapshots")] },
          writable: [world.project, join(login, "token.json"), join(login, "sessions")],
        },
      },
    );
    expect(out).toBe("mine");
    const read = (path: string) => readFileSync(join(world.root, path), "utf8");
    expect([
      read("cache/npm/x"),
      read("home/.tool/token.json"),
      read("home/.tool/sessions/a"),
      read("home/.tool/settings.json"),
      read("home/.tool/snapshots/theirs.sh"),
    ]).toEqual(["kept\n", "new\n", "one\n", "mine", "theirs"]);
    expect(existsSync(join(login, "hooks.json"))).toBe(false);
  });

  test("does not fill the machine's memory or disk beyond its scratch space [SEC-5.home]", () => {
    const world = createWorld();
    const sizes = world.run(
      "df -k --output=size /tmp ~ /dev/shm | tail -n +2 | tr -d ' '; touch /a /dev/b 2>&1 | wc -l",
    );
    expect(sizes).toBe("1048576\n1048576\n1048576\n2\n");
  });
});

function spawnStat(path: string): { readonly uid: number } {
  const out = spawnSync("stat", ["-c", "%u", path], { encoding: "utf8" }).stdout;
  return { uid: Number(out) };
}
