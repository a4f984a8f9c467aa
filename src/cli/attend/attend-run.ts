import type { Machine } from "../../app/machine.ts";
import { stateBefore } from "../../app/run-events.ts";
import type { WorkflowRun } from "../../app/workflow-run.ts";
import type { JournalEvent } from "../../contracts/event.ts";
import { fold } from "../../fold/fold.ts";
import type { RunState } from "../../fold/run-state.ts";
import type { Io } from "../io.ts";
import { reportWarning } from "../report-error.ts";
import type { Settings } from "../settings.ts";
import { createJsonView } from "../view/json-view.ts";
import { createPlainView } from "../view/plain-view.ts";
import { InboxPrompt } from "./inbox-prompt.ts";
import type { Progress } from "./progress.ts";
import { tellParting } from "./tell-parting.ts";

/** How a run is shown while this process carries it out. */
export interface Attendance {
  readonly machine: Machine;
  readonly io: Io;
  readonly settings: Settings;
  readonly progress: Progress;
}

/** Whether the person at the terminal is asked for decisions; else the run waits in its journal. */
export function asksInTerminal({
  progress,
  settings,
}: Pick<Attendance, "progress" | "settings">): boolean {
  return settings.mayAsk && progress === "plain";
}

/**
 * Shows a run until it is over or let go; resolves with the exit code that the journal records. Raises what
 * stopped a run without a word in its journal.
 */
export async function attendRun(run: WorkflowRun, attendance: Attendance): Promise<number> {
  const prompt = asksInTerminal(attendance) ? createPrompt(run, attendance) : undefined;
  try {
    await showEvents(run, attendance, prompt);
  } finally {
    prompt?.close();
  }
  const parting = await run.parted;
  tellParting(run.state, attendance);
  return parting.event.exitCode;
}

function createPrompt(run: WorkflowRun, { io, settings }: Attendance): InboxPrompt {
  return new InboxPrompt({
    io,
    settings,
    command: (command) => run.command(command),
    onRefused: (error) => reportWarning(error, io, settings),
  });
}

async function showEvents(
  run: WorkflowRun,
  attendance: Attendance,
  prompt: InboxPrompt | undefined,
): Promise<void> {
  const show = createView(run.id, attendance, prompt);
  let state: RunState | undefined;
  // The state of the run itself is ahead of the event that is shown.
  for await (const event of run.events) {
    state ??= stateBefore(attendance.machine, run.id, event.seq);
    fold(state, event);
    show(event, state);
    prompt?.sync(state);
  }
}

function createView(
  run: string,
  { io, settings, progress }: Attendance,
  prompt: InboxPrompt | undefined,
): (event: JournalEvent, state: RunState) => void {
  const write = (line: string) => {
    prompt?.interrupt();
    io.stdout.write(`${line}\n`);
  };
  switch (progress) {
    case "plain":
      return createPlainView({ write, width: settings.width, glyphs: settings.glyphs }).show;
    case "json":
    case "json-all":
      return createJsonView({ write, run, showsOperations: progress === "json-all" }).show;
    case "none":
    case "quiet":
      return () => {};
  }
}
