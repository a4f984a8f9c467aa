import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestHost, never } from "./survivors.ts";

test("of 200 MB without a newline the log keeps its share, and memory next to nothing [AGT-6, P10]", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-host-"));
  const host = createTestHost();
  onTestFinished(async () => {
    await host.close();
    rmSync(cwd, { recursive: true });
  });
  const logFile = join(cwd, "logs", "big.log");
  const beforeBytes = process.memoryUsage.rss();
  let mostBytes = 0;
  const onOutput = () => {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  };
  const command = ["head", "-c", "200000000", "/dev/zero"];
  const request = { command, cwd, env: host.baseEnv({}), logFile, maxOutputChars: 1000, onOutput };
  const result = await host.run(request, never);
  expect(result).toMatchObject({ exitCode: 0, stdoutTruncated: true });
  // Each of these characters takes six of JSON.
  expect(result.stdout).toHaveLength(333);
  expect(statSync(logFile).size).toBeLessThanOrEqual(64 * 1024 ** 2);
  expect(statSync(logFile).size).toBeGreaterThan(40 * 1024 ** 2);
  expect(statSync(logFile).mode & 0o777).toBe(0o600);
  expect(mostBytes - beforeBytes).toBeLessThan(120_000_000);
});
