import type { AskedBelow } from "../../../app/runs/families/asked-below.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";
import type { ActivityLog } from "./turn-activity.ts";

/** A step that is to come, as far as the live view wants to know. */
export interface PlannedRow {
  readonly id: string;
  readonly agent?: string;
  readonly dependsOn: readonly string[];
  /** Whether any of these may lead to it, and none need to. */
  readonly isRouted?: boolean;
}

/** Everything that a picture of a run is made from. */
export interface LiveModel {
  /** The run up to the last event that was shown. */
  readonly state: RunState;
  /** What the runs below it ask, by id. */
  readonly below: ReadonlyMap<string, AskedBelow>;
  /** The steps of the definition, in its order. */
  readonly plan: readonly PlannedRow[];
  readonly activity: ActivityLog;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Ids of items that were decided here and whose decision is on its way into the journal. */
  readonly sent: ReadonlySet<string>;
}

/** Whether a person is asked for this, by the run or by one below it. */
export function isAsked({ state, below }: LiveModel, id: string): boolean {
  return state.inbox.has(id) || below.has(id);
}

/** How far the run is. */
export interface StepCounts {
  readonly done: number;
  readonly total: number;
  /** Turns that work now; one that waits for a person does not. */
  readonly busy: number;
  /** Things that people are asked for. */
  readonly needs: number;
}

/** Counts for the header and the title of the terminal. */
export function progressOf({ state, plan, sent }: LiveModel): StepCounts {
  const { steps, activity } = state;
  return {
    done: steps.counts.completed + steps.counts.skipped,
    total: Math.max(steps.byPath.size, plan.length),
    busy: activity.runningTurns - activity.waitingTurns,
    needs: waitingItems(state).filter(({ id }) => !sent.has(id)).length,
  };
}

/** The title of the terminal: `▲1 code-review 4/6`. */
export function titleOf(model: LiveModel, attention: string): string {
  const { done, total, needs } = progressOf(model);
  const { workflow, id } = model.state.run;
  const name = workflow === "" ? id : workflow;
  return `${needs === 0 ? "" : `${attention}${needs} `}${name} ${done}/${total}`;
}
