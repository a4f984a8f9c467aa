import { expect, test } from "vitest";
import { startChild } from "./child-run.ts";
import { crashAndResume, uninterruptedResult } from "./crash-case.ts";
import { say, sayLandings, seedOf } from "./report.ts";
import { createSandbox, observe } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
const KILLS = Number(process.env["CRASH_KILLS"] ?? 200);

test("a run killed at random times loses nothing and repeats nothing [ENG-2, P1, P2]", async () => {
  const random = seedOf("random kills");
  const expected = await uninterruptedResult();
  const runMs = await shortestRunMs();
  say(`a run takes ${Math.round(runMs)} ms from its first event to its last`);
  const times = Array.from({ length: KILLS }, () => random() * runMs * 0.9);
  const landings = await sideBySide(times, WIDTH, async (afterMs) => {
    try {
      return await crashAndResume([{ afterMs }], expected);
    } catch (cause) {
      throw new Error(`after a kill at ${afterMs} ms`, { cause });
    }
  });
  sayLandings("killed at a random time", landings);
  const during = landings.filter((landing) => landing === "during the run").length;
  // A suite whose kills miss proves nothing.
  expect(during / KILLS).toBeGreaterThanOrEqual(0.95);
});

/** Time from owning the run to its last event. */
async function shortestRunMs(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const sandbox = createSandbox();
    const child = startChild(sandbox, { action: "start" });
    await child.owns;
    const startedAt = Date.now();
    await child.gone;
    times.push((observe(sandbox).events.at(-1)?.at ?? 0) - startedAt);
    await sandbox.remove();
  }
  return Math.min(...times);
}
