import { trajectorySpecOf } from "../../contracts/definition.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import type { Trajectory, TrajectorySpec, TrajectoryTrace } from "../../contracts/trajectory.ts";
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
  const { events, spec } = await readRun(machine, run);
  const redacted = await redactRun(machine, events, { isForSharing: false });
  const trajectory = buildTrajectory(redacted.events, run, spec ?? DEFAULT_TRAJECTORY);
  const at = events.at(-1)?.at ?? machine.clock.now();
  return { trajectory, trace: traceOf(redacted.events, { id: trajectory.id, at }), spec };
}

async function readRun(
  { store }: Machine,
  run: string,
): Promise<{
  readonly events: readonly JournalEvent[];
  readonly spec: TrajectorySpec | undefined;
}> {
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
