import { runningMsAt } from "../../../fold/running-time.ts";
import type { LiveModel } from "./live-model.ts";
import type { LiveRow } from "./live-row.ts";
import { untilNextSpinMs } from "./row-line.ts";
import type { ViewState } from "./view-state.ts";

const SECOND_MS = 1000;

/** After how many ms a picture changes though nothing happens; undefined for never. */
export function untilNextChangeMs(
  model: LiveModel,
  { notice }: ViewState,
  rows: readonly LiveRow[],
): number | undefined {
  const { state, nowMs } = model;
  if (rows.some(({ sign }) => sign === "spinner")) return untilNextSpinMs(nowMs);
  const isRunning = runningMsAt(state, nowMs + SECOND_MS) !== runningMsAt(state, nowMs);
  const isTicking = isRunning || rows.some((row) => row.isTicking);
  if (isTicking) return SECOND_MS;
  return notice !== undefined && notice.untilMs > nowMs ? notice.untilMs - nowMs : undefined;
}
