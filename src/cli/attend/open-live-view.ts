import { plannedSteps } from "../../app/planned-steps.ts";
import type { WorkflowRun } from "../../app/workflow-run.ts";
import { toWaitingItem } from "../../fold/waiting.ts";
import { editShown } from "../inbox/edit-shown.ts";
import { toEntry } from "../inbox/list-inbox.ts";
import { createActivityLog } from "../view/live/turn-activity.ts";
import { type Attendance, asksInTerminal } from "./attendance.ts";
import { LiveView } from "./live-view.ts";

/** The live view of a run that this process carries out; loads what draws, which nothing else needs. */
export function openLiveView(run: WorkflowRun, attendance: Attendance): LiveView {
  const { machine, io, settings, activity, rings = false } = attendance;
  return new LiveView({
    run: run.id,
    io,
    settings,
    clock: machine.clock,
    activity: activity ?? createActivityLog(),
    hasKeys: asksInTerminal(attendance),
    rings,
    plan: (state) => plannedSteps(machine, state),
    command: (command) => run.command(command),
    edit: (item, state) => editShown(toEntry(toWaitingItem(item), state), { io, settings }),
    newKey: () => machine.newId("cmd"),
  });
}
