import { trajectorySpecOf } from "../../contracts/definition.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { OUTCOME_EXIT_CODES } from "../../contracts/run.ts";
import type { Trajectory, TrajectorySpec, TrajectoryTrace } from "../../contracts/trajectory.ts";
import { foldAll } from "../../fold/fold.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { isOver } from "../../fold/waiting.ts";
import {
  buildTrajectory,
  DEFAULT_TRAJECTORY,
} from "../../observers/trajectory/build-trajectory.ts";
import { traceOf } from "../../observers/trajectory/changed-files.ts";
import type { Machine } from "../machine/machine.ts";
import { neverBegan } from "../runs/errors.ts";
import { redactRun } from "../runs/redact-run.ts";
import { withWholeText } from "../runs/run-events.ts";
import { readRecipe } from "../workflow/shapes/run-recipe.ts";

/** A run as a trajectory tells it. */
export interface ToldRun {
  readonly trajectory: Trajectory;
  /** Who has changed which files; undefined where nobody has. */
  readonly trace: TrajectoryTrace | undefined;
  /** What its workflow says of trajectories; undefined where that is nothing. */
  readonly spec: TrajectorySpec | undefined;
}

/**
 * Tells a run from its journal, whatever it is at by now; known secrets are masked. Raises RUN_NOT_FOUND, RUN_NEVER_BEGAN,
 * WORKFLOW_DEFINITION_INVALID, CONFIG_INVALID and STORE_* errors.
 */
export async function tellRun(machine: Machine, run: string): Promise<ToldRun> {
  return tell(machine, run, await readRun(machine, run));
}

/** Tells a run that is about to be removed: one that is not over yet has its end now. Raises what tellRun raises. */
export async function tellRemovedRun(machine: Machine, run: string): Promise<ToldRun> {
  const { events, spec } = await readRun(machine, run);
  const state = foldAll(run, events);
  const end = isOver(state) ? [] : [removalOf(state, machine.clock.now())];
  return tell(machine, run, { events: [...events, ...end], spec });
}

/** What stands nowhere but in the trajectory: the journal goes with the run. */
function removalOf({ lastSeq, runningTime }: RunState, at: number): JournalEvent {
  return {
    ...{ type: "run-ended", seq: lastSeq + 1, at, resumable: false, result: null },
    ...{ outcome: "cancelled", exitCode: OUTCOME_EXIT_CODES.cancelled },
    ...{ reason: "it was removed before its end", durationMs: runningTime.totalMs },
  };
}

async function tell(machine: Machine, run: string, { events, spec }: ReadRun): Promise<ToldRun> {
  const redacted = await redactRun(machine, events, { isForSharing: false });
  const trajectory = buildTrajectory(redacted.events, run, spec ?? DEFAULT_TRAJECTORY);
  const at = events.at(-1)?.at ?? machine.clock.now();
  return { trajectory, trace: traceOf(redacted.events, { id: trajectory.id, at }), spec };
}

interface ReadRun {
  readonly events: readonly JournalEvent[];
  readonly spec: TrajectorySpec | undefined;
}

async function readRun({ store }: Machine, run: string): Promise<ReadRun> {
  const journal = store.open(run, "read");
  try {
    const events = Array.from(journal.read(), (event) => withWholeText(journal, event));
    return { events, spec: await specIn(journal, events) };
  } finally {
    journal.close();
  }
}

async function specIn(
  journal: Journal,
  events: readonly JournalEvent[],
): Promise<TrajectorySpec | undefined> {
  const last = events.findLast(
    (event) => event.type === "run-created" || event.type === "definition-changed",
  );
  if (last?.type !== "run-created" && last?.type !== "definition-changed")
    throw neverBegan({ run: journal.run });
  const { definition } = await readRecipe(journal.run, journal.blob(last.definitionHash));
  return trajectorySpecOf(definition);
}
