import type { NudgeRung } from "../../contracts/events/agent-events.ts";
import type { Nudge } from "../../fold/state/agent-state.ts";

const RUNGS: readonly NudgeRung[] = ["nudge", "interrupt", "restart", "fail"];
/** What was done so many idle timeouts ago has helped. */
const REMEMBERED_TIMEOUTS = 6;

/** Where on the ladder a session is. */
export interface LadderPlace {
  /** What was done about it so far, oldest first. */
  readonly nudges: readonly Nudge[];
  /** Whether its turn can be talked to. */
  readonly canSteer: boolean;
  readonly nowMs: number;
  readonly idleTimeoutMs: number;
}

/** What is done next about a session that seems stuck: more than the last time, unless that was long ago. */
export function nextRung({ nudges, canSteer, nowMs, idleTimeoutMs }: LadderPlace): NudgeRung {
  const last = nudges.at(-1);
  const isRecent = last !== undefined && nowMs - last.at < REMEMBERED_TIMEOUTS * idleTimeoutMs;
  const index = isRecent ? RUNGS.indexOf(last.rung) + 1 : 0;
  const rung = RUNGS[index] ?? "fail";
  return rung === "nudge" && !canSteer ? "interrupt" : rung;
}
