import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { createLinuxProcessTable } from "../../src/host/linux-process-table.ts";

const isLinux = process.platform === "linux";

async function sleeping(): Promise<number> {
  const child = spawn("/bin/sleep", ["60"]);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child, "spawn");
  return child.pid ?? 0;
}

async function pidsSeen(sincePid: number, ageMs: number): Promise<readonly number[]> {
  const { entries } = await createLinuxProcessTable().list({ sincePid, ageMs });
  return entries.map(({ pid }) => pid);
}

test.runIf(isLinux)(
  "who asks for what is younger than a young process is not shown the others",
  async () => {
    const [first, second] = [await sleeping(), await sleeping()];
    // Unless pids have started anew since this process began.
    if (second < first || second < process.pid) return;
    const seen = await pidsSeen(second, 1);
    expect(seen).toContain(second);
    expect(seen).not.toContain(first);
    expect(seen).not.toContain(process.pid);
  },
);

test.runIf(isLinux)(
  "since a process that is old enough for pids to have started anew, all are shown",
  async () => {
    const pid = await sleeping();
    expect(await pidsSeen(pid, 86_400_000)).toContain(process.pid);
  },
);

test.runIf(isLinux)(
  "where the last pid is below that of the process, pids have started anew, and all are shown",
  async () => {
    expect(await pidsSeen(2 ** 30, 1)).toContain(process.pid);
  },
);
