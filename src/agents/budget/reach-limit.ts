import { softShareOf } from "../../contracts/budget.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { runningMsAt } from "../../fold/running-time.ts";
import { toldKey } from "../../fold/state/budget-reading.ts";
import { type TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { present } from "../../foundation/present.ts";
import type { ReachedLimit } from "./admission.ts";
import { limitReached } from "./errors.ts";

/** Who met a limit. */
export interface LimitPlace {
  readonly agent?: string;
  readonly turn?: number;
  readonly step?: string;
  /** The child run in which it was met. */
  readonly child?: string;
  /** Whether it is the limit of that child itself. Defaults to no. */
  readonly isOfChild?: true;
}

/**
 * Journals that a limit is reached, once, and gives the error for whoever met it. A limit of the run ends the
 * run as soon as nothing works any more; that of its time ends it now.
 */
export function reachLimit(
  runtime: RunRuntime,
  { owner, use }: ReachedLimit,
  place: LimitPlace,
): TroupeError {
  const { state, run } = runtime;
  const { meter, limit, spent } = use;
  const { agent, turn, step, child, isOfChild } = place;
  const at = {
    ...present({ agent, step }),
  };
  const error = limitReached(meter, {
    run,
    owner,
    limit,
    ...at,
    ...(turn === undefined ? {} : { turn }),
  });
  const teller = owner.of === "step" && child !== undefined ? { ...owner, child } : owner;
  const key = toldKey(teller, meter, "exceeded");
  const isKnown =
    owner.of === "run" ? state.budget.exceeded !== undefined : state.budget.told.get(key) === limit;
  if (isKnown) return error;
  runtime.append({
    type: "budget-exceeded",
    meter,
    limit,
    spent,
    ...at,
    ...owner,
    ...present({ turn, child, isOfChild }),
  });
  if (owner.of === "run")
    runtime.stopAtLimit(toErrorReport(error), meter === "wallClock" ? "now" : "when-still");
  return error;
}

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
