import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ResourceLimits } from "../../src/contracts/host.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { createSecretMasker } from "../../src/foundation/secret-masker.ts";
import { createHost } from "../../src/host/host.ts";
import { openOutputLog } from "../../src/host/output-log.ts";
import { DEFAULT_RESOURCE_LIMITS } from "../../src/host/resource-limits.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

function run(command: string, limits: Partial<ResourceLimits>, cwd = temporaryDirectory()) {
  const host = createHost({
    run: "",
    clock: systemClock,
    env: process.env,
    limits: { ...DEFAULT_RESOURCE_LIMITS, ...limits },
  });
  const request = { command, cwd, env: host.baseEnv({}) };
  return host.run(request, new AbortController().signal).finally(() => host.close());
}

test("a program with more processes than it may have ends with all of them, and the error says so [SEC-7.limits, T14]", async () => {
  const many = "for i in $(seq 1 40); do setsid sleep 345 & done; wait";
  await expect(run(many, { processes: 20 })).rejects.toMatchObject({
    code: "LIMIT_AGENT_RESOURCES",
    message: expect.stringMatching(/were (?:2[1-9]|[34]\d) processes, more than 20/),
    hint: expect.stringContaining("limits.agent.processes"),
  });
  expect(
    await run("for i in 1 2 3; do sleep 0.1 & done; wait; echo done", { processes: 20 }),
  ).toMatchObject({
    stdout: "done\n",
  });
});

test("memory counts over the whole family [SEC-7.limits, T14]", async () => {
  const take = "node -e 'const b = Buffer.alloc(150e6, 1); setTimeout(() => b.length, 60000)'";
  await expect(
    run(`${take} & ${take} & wait`, { memoryBytes: 256 * 1024 ** 2 }),
  ).rejects.toMatchObject({
    code: "LIMIT_AGENT_RESOURCES",
    message: expect.stringMatching(/held .* of memory, more than 256 MiB/),
  });
});

test("memory that processes share counts once [SEC-7.limits]", async () => {
  const share =
    "import os, time; block = b'x' * 200000000; [time.sleep(3) for _ in range(3) if os.fork() == 0][:1]; time.sleep(3)";
  const limits = { memoryBytes: 400 * 1024 ** 2 };
  expect(await run(`python3 -c "${share}"; echo done`, limits)).toMatchObject({ stdout: "done\n" });
});

test("open files and the size of a file are limits of the system [SEC-7.limits]", async () => {
  const open = "python3 -c 'import os; [os.open(\"/dev/null\", 0) for _ in range(100)]'";
  expect(await run(open, { openFiles: 64 })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("Too many open files"),
  });
  const cwd = temporaryDirectory();
  await run("head -c 5000000 /dev/zero > large", { fileSizeBytes: 1024 ** 2 }, cwd);
  expect(statSync(join(cwd, "large")).size).toBe(1024 ** 2);
});

test("a log keeps its beginning and its end, and says what is between them [SEC-7.limits, T14]", async () => {
  const path = join(temporaryDirectory(), "agent.log");
  const maxBytes = 80_000;
  const log = await openOutputLog(path, { masker: createSecretMasker(["hush-hush"]), maxBytes });
  const stream = log.stream();
  for (let line = 1; line <= 60_000; line += 1)
    stream.write(Buffer.from(`line ${line} hush-hush\n`));
  stream.end();
  log.close();
  const text = readFileSync(path, "utf8");
  expect(text.length).toBeLessThanOrEqual(maxBytes);
  expect(text.startsWith("line 1 ***\n")).toBe(true);
  expect(text.endsWith("line 60000 ***\n")).toBe(true);
  const marks = [...text.matchAll(/\[troupe: (\d+) bytes were left out here\]\n/g)];
  expect(marks).toHaveLength(1);
  const whole = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1} ***\n`).join(
    "",
  ).length;
  expect(Number(marks[0]?.[1]) + text.length - (marks[0]?.[0].length ?? 0) - 1).toBe(whole);
});
