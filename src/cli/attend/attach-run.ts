import { commandRun } from "../../app/run/commands/command-run.ts";
import { type FollowEnd, followOwned } from "../../app/run/commands/follow-owned.ts";
import { createOwnerLines } from "../../app/run/commands/owner-lines.ts";
import { readEvents } from "../../app/runs/run-events.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { fold } from "../../fold/fold.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../fold/state/run-state.ts";
import { TROUPE } from "../command/called-as.ts";
import { EXIT } from "../command/exit-codes.ts";
import { resumeCommandOf } from "../command/resume-command.ts";
import { observeJournal } from "../view/live/journal-activity.ts";
import { createActivityLog } from "../view/live/turn-activity.ts";
import type { Attendance } from "./attendance.ts";
import type { LiveView } from "./live-view.ts";
import { openLiveView } from "./open-live-view.ts";
import { tellParting } from "./tell-parting.ts";

// What has happened before is shown by `troupe logs`; here it says where the run is.
const SHOWN_PAST_EVENTS = 40;

/**
 * Shows a run that another process carries out, and tells that process what the person decides and says. Going
 * away leaves the run alone. Resolves with the exit code of the run if it ends meanwhile. Raises STORE_*
 * errors.
 */
export async function attachRun(run: string, attendance: Attendance): Promise<number> {
  const { machine, io } = attendance;
  const left = new AbortController();
  const leave = () => left.abort();
  const endings = [io.onSignal(leave), io.stdout.onClosed(leave)];
  const activity = createActivityLog();
  const lines = createOwnerLines(machine.clock);
  const command: Parameters<typeof openLiveView>[0]["command"] = (given) =>
    commandRun(machine, run, { command: given, lines });
  const view = openLiveView({ id: run, command, onLeave: leave }, { ...attendance, activity });
  const state = emptyRunState(run, NO_MESSAGES);
  const take = (event: JournalEvent, shows: Pick<LiveView, "show"> = view) => {
    observeJournal(activity, event);
    shows.show(event, fold(state, event));
    return true;
  };
  let end: FollowEnd = "stopped";
  try {
    const past = readEvents(machine, run);
    for (const [index, event] of past.entries())
      take(event, index < past.length - SHOWN_PAST_EVENTS ? UNSHOWN : view);
    if (!hasParted(state)) {
      const position = { afterSeq: state.lastSeq, signal: left.signal };
      end = await followOwned(machine, run, { ...position, onEvent: (event) => take(event) });
    }
  } finally {
    view.close();
    lines.close();
    for (const stop of endings) stop();
  }
  return tellLeaving(state, end, attendance);
}

const UNSHOWN: Pick<LiveView, "show"> = { show: () => {} };

/** Says how the run and the person parted; the exit code. */
async function tellLeaving(
  state: RunState,
  end: FollowEnd,
  attendance: Attendance,
): Promise<number> {
  const { phase, run } = state;
  if (phase.status === "ended" || phase.status === "suspended") {
    await tellParting(state, attendance);
    return phase.exitCode;
  }
  const { io } = attendance;
  if (end === "orphaned") {
    io.stderr.write(`the process of ${run.id} is gone; go on with: ${resumeCommandOf(state)}\n`);
    return EXIT.owner;
  }
  io.stdout.write(`left ${run.id}, which goes on; come back with: ${TROUPE} attach ${run.id}\n`);
  return EXIT.completed;
}

function hasParted({ phase }: RunState): boolean {
  return phase.status === "ended" || phase.status === "suspended";
}
