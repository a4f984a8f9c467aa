import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startLineProcess } from "../../../../src/agents/backends/parts/line-process.ts";
import type { ResourceLimits } from "../../../../src/contracts/host.ts";
import { temporaryDirectory } from "../../../programs/temporary-directory.ts";
import { createTestHost } from "../test-host.ts";

async function start(script: string, limits: Partial<ResourceLimits>) {
  const host = createTestHost();
  onTestFinished(() => host.close());
  const cwd = temporaryDirectory();
  const logFile = join(cwd, "agent.log");
  const lines: string[] = [];
  const program = await startLineProcess({
    host,
    session: { cwd, logFile, limits },
    argv: ["/bin/sh", "-c", script],
    env: host.baseEnv({}),
    onLine: (line) => lines.push(line),
  });
  return { program, lines, logFile };
}

test("a program that stays is bounded by the limits of its session [SEC-7.limits, T14]", async () => {
  const many = "for i in $(seq 1 15); do sleep 345 & done; wait";
  const { program } = await start(many, { processes: 10 });
  await expect(program.ended).rejects.toMatchObject({ code: "LIMIT_AGENT_RESOURCES" });
});

test("its log keeps no more than they say, while all of its lines are heard [SEC-7.limits]", async () => {
  const { program, lines, logFile } = await start("ulimit -n; seq 1 50000", {
    openFiles: 99,
    logBytes: 10_000,
  });
  await program.ended;
  expect(lines).toHaveLength(50_001);
  expect(lines[0]).toBe("99");
  expect(statSync(logFile).size).toBeLessThanOrEqual(10_000);
});
