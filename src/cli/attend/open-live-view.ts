import { ItemsBelow } from "../../app/runs/families/asked-below.ts";
import { plannedSteps } from "../../app/workflow/shapes/planned-steps.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import { toWaitingItem } from "../../fold/waiting.ts";
import { editShown } from "../inbox/edit-shown.ts";
import { toEntry } from "../inbox/list-inbox.ts";
import { createActivityLog } from "../view/live/turn-activity.ts";
import { type Attendance, asksInTerminal } from "./attendance.ts";
import { commandFamily } from "./command-below.ts";
import { LiveView } from "./live-view.ts";

/** The run that a live view is of, whoever carries it out. */
export interface LiveRun {
  readonly id: string;
  /** Carries a command out; resolves once what it caused is durable. */
  command(command: RunCommand): Promise<unknown>;
  /** The person goes away; only for a run of another process. */
  readonly onLeave?: () => void;
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
    ...(run.onLeave === undefined ? {} : { onLeave: run.onLeave }),
  });
}
