import { expect, test } from "vitest";
import { casesOf } from "../cases.ts";
import { startChild } from "./child-run.ts";
import { crashAndResume, uninterruptedResult } from "./crash-case.ts";
import { say, sayLandings, seedOf } from "./report.ts";
import { createSandbox } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
const KILLS = casesOf(200);

test("a run killed at random times loses nothing and repeats nothing [ENG-2, P1, P2]", async () => {
  const random = seedOf("random kills");
  const expected = await uninterruptedResult();
  const { events, gapMs } = await measuredRun();
  say(`a run shows ${events} events, one every ${gapMs.toFixed(1)} ms`);
  // Aimed by what the run has done, then by time: a loaded machine shifts only the second.
  const moments = Array.from({ length: KILLS }, () => ({
    events: 1 + Math.floor(random() * events * 0.85),
    ms: random() * 2 * gapMs,
  }));
  const landings = await sideBySide(moments, WIDTH, async (after) => {
    try {
      return await crashAndResume([{ after }], expected);
    } catch (cause) {
      throw new Error(`after a kill ${after.ms} ms after event ${after.events}`, { cause });
    }
  });
  sayLandings("killed at a random time", landings);
  const during = landings.filter((landing) => landing === "during the run").length;
  // A suite whose kills miss proves nothing.
  // Of a sample, chance alone takes one or two more.
  expect(during / KILLS).toBeGreaterThanOrEqual(KILLS < 200 ? 0.9 : 0.95);
});

/** How many events a process shows from owning its run to the end, and the mean time between two. */
async function measuredRun(): Promise<{ readonly events: number; readonly gapMs: number }> {
  const sandbox = createSandbox();
  const child = startChild(sandbox, { action: "start" });
  const { events: shown } = await child.gone;
  await sandbox.remove();
  const events = shown.slice(shown.findIndex(({ type }) => type === "run-started"));
  const [first, last] = [events[0], events.at(-1)].map((event) =>
    Date.parse(String(event?.["at"])),
  );
  return { events: events.length, gapMs: ((last ?? 0) - (first ?? 0)) / events.length };
}
