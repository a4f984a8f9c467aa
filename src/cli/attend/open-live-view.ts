import type { Machine } from "../../app/machine/machine.ts";
import { ItemsBelow } from "../../app/runs/families/asked-below.ts";
import { shapeOf } from "../../app/workflow/shapes/registry.ts";
import { readRecipe } from "../../app/workflow/shapes/run-recipe.ts";
import type { OrderedStep } from "../../app/workflow/shapes/shape.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { toWaitingItem } from "../../fold/waiting.ts";
import { editShown } from "../inbox/edit-shown.ts";
import { toEntry } from "../inbox/list-inbox.ts";
import { createActivityLog } from "../view/live/turn-activity.ts";
import { type Attendance, asksInTerminal } from "./attendance.ts";
import { commandFamily } from "./command-below.ts";
import { type Detaching, LiveView } from "./live-view.ts";

/** The run that a live view is of, whoever carries it out. */
export interface LiveRun {
  readonly id: string;
  /** Carries a command out; resolves once what it caused is durable. */
  command(command: RunCommand): Promise<unknown>;
  /** The person goes away; only for a run of another process. */
  readonly onLeave?: () => void;
  /** Defaults to a run that has no other process to go on in. */
  readonly detaching?: Detaching;
}

/** The live view of a run; loads what draws, which nothing else needs. */
export function openLiveView(run: LiveRun, attendance: Attendance): LiveView {
  const { machine, io, settings, activity, rings = false } = attendance;
  const items = new ItemsBelow(machine);
  return new LiveView({
    run: run.id,
    io,
    settings,
    clock: machine.clock,
    activity: activity ?? createActivityLog(),
    hasKeys: asksInTerminal(attendance),
    rings,
    plan: (state) => plannedSteps(machine, state),
    below: (state) => items.of(state),
    command: commandFamily(machine, (command) => run.command(command)),
    edit: (item, state) => editShown(toEntry(toWaitingItem(item), state, run.id), { io, settings }),
    newKey: () => machine.newKey(),
    detaching: run.detaching ?? {
      status: "refused",
      reason: "this run cannot go on in the background",
    },
    ...(run.onLeave === undefined ? {} : { onLeave: run.onLeave }),
  });
}

/** The steps that the definition of a run has, whether they have started or not, in its order. Raises WORKFLOW_DEFINITION_INVALID and STORE_* errors. */
async function plannedSteps(machine: Machine, { run }: RunState): Promise<readonly OrderedStep[]> {
  const journal = machine.store.open(run.id, "read");
  try {
    const { definition } = await readRecipe(run.id, journal.blob(run.definitionHash));
    const shape = await shapeOf(definition);
    return shape.ordered(definition);
  } finally {
    journal.close();
  }
}
