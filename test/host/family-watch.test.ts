import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { createFamilyWatch, type WatchedFamily } from "../../src/host/family-watch.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import type { ProcessListing } from "../../src/host/system/process-entry.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

/** A watch over this machine's own processes that counts how often it looks at them. */
function countedWatch() {
  const clock = createManualClock();
  const table = createProcessTable();
  let looks = 0;
  const list = (): Promise<ProcessListing> => {
    looks += 1;
    return table.list();
  };
  const watch = createFamilyWatch({ list }, clock);
  return { clock, watch, table, looks: () => looks };
}

test("one look a second serves all families; with none there is no timer", async () => {
  const { clock, watch, looks } = countedWatch();
  const limits = { processes: 1, memoryBytes: 1024 ** 4 };
  const nobody = { leader: { pid: 2 ** 30, startedAt: "0" }, mark: "none", kernelMark: undefined };
  const fail = (): never => {
    throw new Error("it took nothing");
  };
  const families: WatchedFamily[] = [1, 2, 3].map(() => ({ family: nobody, limits, fail }));
  const forgets = families.map((family) => watch.watch(family));
  for (let second = 1; second <= 3; second += 1) {
    await clock.advance(1000);
    await expect.poll(looks).toBe(second);
  }
  for (const forget of forgets) forget();
  await clock.advance(10_000);
  expect(looks()).toBe(3);
});

test("each family is measured by its own limits, and the error says which, how much and what to do", async () => {
  const { clock, watch, table } = countedWatch();
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const leader = table.find(child.pid ?? 0);
  if (leader === undefined) throw new Error("it has begun");
  const family = { leader, mark: "none", kernelMark: undefined };
  const failed: Error[] = [];
  const fail = (error: Error) => failed.push(error);
  watch.watch({ family, limits: { processes: 4_000_000, memoryBytes: 1024 ** 5 }, fail });
  const forget = watch.watch({ family, limits: { processes: 1000, memoryBytes: 1 }, fail });
  await clock.advance(1000);
  await expect.poll(() => failed).toHaveLength(1);
  forget();
  expect(failed[0]).toMatchObject({
    code: "LIMIT_AGENT_RESOURCES",
    message: expect.stringMatching(/held [\d.]+ \wiB of memory, more than 1 B/),
    hint: expect.stringContaining("limits.memory"),
  });
});
