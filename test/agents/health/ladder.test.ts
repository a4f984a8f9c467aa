import { expect, test } from "vitest";
import { nextRung } from "../../../src/agents/health/turn-health.ts";
import type { NudgeRung } from "../../../src/contracts/events/agent-events.ts";

const place = { canSteer: true, idleTimeoutMs: 1000, nowMs: 10_000 };
const at = (rung: NudgeRung, timeMs: number) => ({ rung, at: timeMs, observation: "silent" });

test("each time more is done: talk, cut off, start anew, give up [AGT-8.stuck]", () => {
  const rungs: NudgeRung[] = [];
  for (let step = 0; step < 5; step += 1)
    rungs.push(nextRung({ ...place, nudges: rungs.map((rung) => at(rung, 9000)) }));
  expect(rungs).toEqual(["nudge", "interrupt", "restart", "fail", "fail"]);
});

test("a session that cannot be talked to is cut off first [AGT-8.stuck]", () => {
  expect(nextRung({ ...place, canSteer: false, nudges: [] })).toBe("interrupt");
});

test("what was done long ago has helped: it begins again with the first rung [AGT-8.stuck]", () => {
  expect(nextRung({ ...place, nudges: [at("nudge", 4001)] })).toBe("interrupt");
  expect(nextRung({ ...place, nudges: [at("nudge", 4000)] })).toBe("nudge");
});
