import { softShareOf } from "../../contracts/budget.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { runningMsAt } from "../../fold/running-time.ts";
import { toldKey } from "../../fold/state/budget-reading.ts";
import { reachLimit } from "./reach-limit.ts";

const OWNER = { of: "run" } as const;
const METER = "wallClock";

/** Warns of the limit of the run's own time and ends the run at it. */
export function watchRunClock(runtime: RunRuntime): void {
  const { state, timers, runningClock } = runtime;
  runtime.onLive(() => {
    const { budget = {} } = state.run.limits;
    const { wallClockMs: limit } = budget;
    if (limit === undefined) return;
    const softMs = limit * softShareOf(budget);
    const passedMs = runningMsAt(state, timers.now());
    const end = () => {
      const use = { meter: METER, limit, spent: limit, reserved: 0, isEstimate: false } as const;
      reachLimit(runtime, { owner: OWNER, use }, {});
    };
    // Nothing may begin that would be ended in the same moment.
    if (passedMs >= limit) return end();
    runningClock.startTimer(limit - passedMs, end);
    if (state.budget.told.get(toldKey(OWNER, METER, "soft")) === limit || softMs >= limit) return;
    runningClock.startTimer(softMs - passedMs, () =>
      runtime.append({
        type: "budget-warned",
        cause: "soft",
        ...OWNER,
        meter: METER,
        limit,
        spent: softMs,
      }),
    );
  });
}
