import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startLineProcess } from "../../../../src/agents/backends/parts/line-process.ts";
import type { ResourceLimits } from "../../../../src/contracts/host.ts";
import { temporaryDirectory } from "../../../programs/temporary-directory.ts";
import { createTestHost } from "../test-host.ts";

async function start(script: string, limits: Partial<ResourceLimits> = {}) {
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
    onLeftOut: () => true,
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

const NOT_READ = "[a line of more than 8 Mi characters or 200,000 JSON values was not read]";

test.each([
  ["of more than 8 Mi characters", "head -c 30000000 /dev/zero | tr '\\0' x"],
  ["of more than 200,000 values", "yes '{},' | head -n 300000 | tr -d '\\n'"],
])(
  "a line %s is left out, whether or not it ends, which its log and its last words tell, and the next one is heard [AGT-6, P10]",
  async (_, long) => {
    const { program, lines, logFile } = await start(
      `echo one; ${long}; echo; echo two; printf '['; ${long}; echo last >&2`,
    );
    await program.ended;
    expect(lines).toEqual(["one", "two"]);
    expect(program.stderr.split(NOT_READ)).toHaveLength(3);
    expect(readFileSync(logFile).includes(NOT_READ)).toBe(true);
  },
);
