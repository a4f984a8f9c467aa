import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandRequest } from "../../src/contracts/host.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { createSecretMasker } from "../../src/foundation/secret-masker.ts";
import { createHost, type ProcessHost } from "../../src/host/host.ts";
import { isMark } from "../../src/host/kernel-mark.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import type { ProcessTable } from "../../src/host/system/process-entry.ts";
import { createTestHost, never, newTag, tagged } from "./survivors.ts";

let host: ProcessHost;
let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "troupe-host-"));
  host = createTestHost();
});
afterAll(async () => {
  await host.close();
  rmSync(cwd, { recursive: true });
});

function run(command: CommandRequest["command"], more: Partial<CommandRequest> = {}) {
  return host.run({ command, cwd, env: host.baseEnv({}), ...more }, never);
}

describe("result", () => {
  test("exit code and both streams are told apart", async () => {
    const result = await run("echo out; echo err >&2; exit 3");
    expect({ ...result, durationMs: 0 }).toEqual({
      exitCode: 3,
      signal: null,
      timedOut: false,
      stdout: "out\n",
      stdoutTruncated: false,
      stderr: "err\n",
      stderrTruncated: false,
      durationMs: 0,
    });
  });

  test("a program that a signal ended has no exit code", async () => {
    expect(await run("kill -KILL $$")).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });

  test("arguments reach the program as they are, whatever a shell would make of them [T6]", async () => {
    const hostile = ["$(touch pwned)", "`touch pwned`", "a'b\"c", "x\ny", "--", "* ; rm -rf .", ""];
    const result = await run(["printf", "%s\\0", ...hostile]);
    expect(result.stdout.split("\0").slice(0, -1)).toEqual(hostile);
    expect(await host.workspace(cwd).exists("pwned")).toBe(false);
  });

  test("NUL in arguments and environment becomes U+FFFD", async () => {
    const env = host.baseEnv({ WITH_NUL: "a\0b" });
    const result = await run(["sh", "-c", 'printf "%s %s" "$1" "$WITH_NUL"', "sh", "c\0d"], {
      env,
    });
    expect(result.stdout).toBe("c\uFFFDd a\uFFFDb");
  });

  test("invalid UTF-8 becomes U+FFFD and characters split between writes stay whole [AGT-6, P15]", async () => {
    const result = await run("printf '\\303'; sleep 0.05; printf '\\244\\377\\303'");
    expect(result.stdout).toBe("ä\uFFFD\uFFFD");
  });
});

describe("stdin", () => {
  test("a text far longer than a pipe reaches the program whole [AGT-5]", async () => {
    const result = await run(["wc", "-c"], { stdin: "x".repeat(5_000_000) });
    expect(result.stdout.trim()).toBe("5000000");
  });

  test("without a text stdin is empty, so that nothing waits for it [AGT-5]", async () => {
    expect(await run(["cat"])).toMatchObject({ exitCode: 0, stdout: "" });
  });

  test("a program that closes its stdin unread is judged by its exit code", async () => {
    const result = await run("exec <&-; exit 4", { stdin: "x".repeat(5_000_000) });
    expect(result.exitCode).toBe(4);
  });
});

describe("output", () => {
  test("all output is kept when the event loop was busy while the program ended", async () => {
    const process = run("echo first; head -c 50000 /dev/zero | tr '\\0' x; sleep 0.05");
    const untilMs = performance.now() + 600;
    while (performance.now() < untilMs);
    expect((await process).stdout).toHaveLength(50_006);
  });

  test("the log is appended to and secrets in it are masked, also when split between writes [P23.stream, AGT-11]", async () => {
    const masking = createTestHost({ masker: createSecretMasker(["hunter2-hunter2"]) });
    const logFile = join(cwd, "masked.log");
    const command = "printf 'a hunter2'; sleep 0.05; printf '%s b\\n' -hunter2";
    for (let time = 0; time < 2; time += 1)
      await masking.run({ command, cwd, env: masking.baseEnv({}), logFile }, never);
    expect(readFileSync(logFile, "utf8")).toBe("a *** b\na *** b\n");
    await masking.close();
  });

  test("a log that cannot be written ends the program with an error [P6.full]", async () => {
    const tag = newTag();
    const env = host.baseEnv({ TEST_TAG: tag });
    await expect(run("yes", { logFile: "/dev/full", env })).rejects.toMatchObject({
      code: "HOST_DISK_FULL",
    });
    expect(await tagged(tag)).toEqual([]);
  });
});

describe("start", () => {
  test("an unknown program is HOST_COMMAND_NOT_FOUND", async () => {
    await expect(run(["no-such-program"])).rejects.toMatchObject({
      code: "HOST_COMMAND_NOT_FOUND",
    });
    await expect(run(["./no-such-program"])).rejects.toMatchObject({
      code: "HOST_COMMAND_NOT_FOUND",
    });
  });

  test("a missing directory and arguments too large are HOST_SPAWN_FAILED with the reason", async () => {
    await expect(run(["true"], { cwd: join(cwd, "absent") })).rejects.toMatchObject({
      code: "HOST_SPAWN_FAILED",
      details: { reason: `there is no directory ${join(cwd, "absent")}` },
    });
    await expect(run(["true", "x".repeat(3_000_000)])).rejects.toMatchObject({
      code: "HOST_SPAWN_FAILED",
      details: { reason: "E2BIG" },
    });
  });

  test("a script without its interpreter is HOST_SPAWN_FAILED", async () => {
    writeFileSync(join(cwd, "script"), "#!/no/interpreter\n", { mode: 0o755 });
    await expect(run(["./script"])).rejects.toMatchObject({
      code: "HOST_SPAWN_FAILED",
      details: { reason: "its interpreter was not found" },
    });
  });

  test("programs know their run and carry the marks of their owner", async () => {
    const result = await run('echo "$TROUPE_RUN $TROUPE_OWNER"; echo "$TROUPE_MARK"');
    expect(result.stdout).toMatch(
      new RegExp(`^run_test ${process.pid}:\\d+:[0-9a-f.-]+\\n([0-9a-f]+\\.)*[0-9a-f]{16}\\n$`),
    );
  });

  test.runIf(process.platform === "linux")(
    "programs carry a mark of their own in a limit that the kernel hands down",
    async () => {
      const look = "env -i setsid sh -c \"grep 'file locks' /proc/self/limits\"";
      const marks = await Promise.all(
        [look, look].map(async (command) => {
          const { stdout } = await run(command);
          return BigInt(/\d{19}/.exec(stdout)?.[0] ?? 0);
        }),
      );
      expect(marks.map((mark) => isMark(mark))).toEqual([true, true]);
      expect(new Set(marks).size).toBe(2);
    },
  );

  test("programs get the limits that are asked for, and keep their own where those are lower", async () => {
    const limits = { openFiles: 64, fileSizeBytes: 1000 };
    const { stdout } = await run("ulimit -n; ulimit -Hn; ulimit -f", { limits });
    expect(stdout).toBe("64\n64\n2\n");
    const asked = await run("ulimit -n", { limits: { openFiles: Number.MAX_SAFE_INTEGER } });
    expect(asked.exitCode).toBe(0);
    const written = await run("head -c 4000 /dev/zero > big; wc -c < big", { limits });
    expect(written.stdout).toBe("1024\n");
  });

  test("a closed host starts nothing", async () => {
    const closed = createTestHost();
    await closed.close();
    const request = { command: ["true"], cwd, env: {} };
    await expect(closed.run(request, never)).rejects.toMatchObject({ code: "HOST_CLOSED" });
  });
});

describe("while too many files are open", () => {
  const shortage = () =>
    Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
  const hostWith = (more: (table: ProcessTable) => Partial<ProcessTable>) => {
    const table = createProcessTable();
    return createHost({
      run: "run_aaaaaa",
      clock: systemClock,
      env: process.env,
      reaper: false,
      graceMs: 500,
      processTable: { ...table, ...more(table) },
    });
  };

  test.each(["find", "list"] as const)(
    "what a command leaves behind is ended though the processes cannot be looked at for a while: %s [P11]",
    async (name) => {
      let isEnding = false;
      let failures = 0;
      const fails = () => isEnding && ++failures < 4;
      const short = hostWith((table) => ({
        find: (pid) => {
          if (name === "find" && pid !== process.pid && fails()) throw shortage();
          return table.find(pid);
        },
        list: () => {
          isEnding = true;
          return name === "list" && fails() ? Promise.reject(shortage()) : table.list();
        },
      }));
      const tag = newTag();
      const env = short.baseEnv({ TEST_TAG: tag });
      const result = await short.run({ command: "sleep 300 & echo out; exit 3", cwd, env }, never);
      expect(result).toMatchObject({ exitCode: 3, stdout: "out\n" });
      expect(failures).toBeGreaterThan(3);
      expect(await tagged(tag)).toEqual([]);
      await short.close();
    },
  );

  test("a program that cannot be looked at when it begins is ended, and that is said [P11]", async () => {
    const short = hostWith((table) => ({
      find: (pid) => {
        if (pid !== process.pid) throw shortage();
        return table.find(pid);
      },
    }));
    const tag = newTag();
    const env = short.baseEnv({ TEST_TAG: tag });
    await expect(short.run({ command: "sleep 300", cwd, env }, never)).rejects.toMatchObject({
      code: "HOST_TOO_MANY_FILES",
    });
    await expect.poll(() => tagged(tag)).toEqual([]);
    await short.close();
  });
});
