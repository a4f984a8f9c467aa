import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { createTemporaryStore } from "../journal/temporary-store.ts";

const RACER = fileURLToPath(new URL("../journal/lease-racer.ts", import.meta.url));
const RACERS = 20;

const { store, runsDirectory, cleanup } = createTemporaryStore();
afterAll(cleanup);

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message]: unknown[] = await once(child, "message");
  return message;
}

test("of twenty processes that claim a run at once, exactly one gets it [ENG-4, P5]", async () => {
  store.create("run-a").close();
  // One start fills the cache of compiled modules, so that the twenty are not twenty compilations.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(runsDirectory, "..", "compiled") };
  const [warmUp] = await once(fork(RACER, [runsDirectory, "none"], { env, silent: true }), "exit");
  expect(warmUp).toBe(1);
  const racers = Array.from({ length: RACERS }, () =>
    fork(RACER, [runsDirectory, "run-a"], { env }),
  );
  try {
    const ready = await Promise.all(racers.map(nextMessage));
    expect(new Set(ready)).toEqual(new Set(["ready"]));
    const outcomes = racers.map(nextMessage);
    for (const racer of racers) racer.send("go");
    const sorted = (await Promise.all(outcomes)).toSorted();
    expect(sorted).toEqual([...Array.from({ length: RACERS - 1 }, () => "held"), "taken"]);
    const journal = store.open("run-a", "read");
    const holder = journal.leaseHolder();
    expect(holder?.epoch).toBe(1);
    expect(racers.map(({ pid }) => pid)).toContain(holder?.pid);
    journal.close();
  } finally {
    for (const racer of racers) if (racer.exitCode === null) racer.kill("SIGKILL");
  }
});
