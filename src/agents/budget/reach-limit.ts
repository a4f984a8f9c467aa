import type { RunRuntime } from "../../engine/run-runtime.ts";
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
