import type { Machine } from "../../app/machine/machine.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import { lookUpWholeText, stateBefore } from "../../app/runs/run-events.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { fold } from "../../fold/fold.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { present } from "../../foundation/present.ts";
import { toPrintableLines } from "../../foundation/printable.ts";
import { EXIT } from "../command/exit-codes.ts";
import { reportWarning } from "../command/report-error.ts";
import { createPlainView, plainStyle } from "../view/plain-view.ts";
import { type Attendance, asksInTerminal } from "./attendance.ts";
import type { InboxPrompt } from "./inbox-prompt.ts";
import { tellParting } from "./tell-parting.ts";

/**
 * Shows a run until it is over or let go; resolves with the exit code that the journal records. Raises what
 * stopped a run without a word in its journal.
 */
export async function attendRun(run: WorkflowRun, attendance: Attendance): Promise<number> {
  let isDetached = false;
  const detach = () => {
    isDetached = true;
    // Whoever attends the run sees how it parted, errors included.
    run.suspend(EXIT.completed).catch(() => {});
  };
  const view = await openView(run, attendance, detach);
  try {
    await showEvents(run, attendance.machine, view);
  } finally {
    view.close();
  }
  const parting = await run.parted;
  if (isDetached && parting.status === "suspended")
    return (await import("./go-to-background.ts")).goToBackground(run, attendance);
  await tellParting(run.state, attendance);
  return parting.event.exitCode;
}

/** Something that events are shown in, one after the other. */
interface EventView {
  show(event: JournalEvent, state: RunState): void;
  close(): void;
}

async function showEvents(run: WorkflowRun, machine: Machine, view: EventView): Promise<void> {
  let state: RunState | undefined;
  // The state of the run itself is ahead of the event that is shown.
  for await (const event of run.events) {
    state ??= stateBefore(machine, run.id, event.seq);
    fold(state, event);
    view.show(event, state);
  }
}

async function openView(
  run: WorkflowRun,
  attendance: Attendance,
  detach: () => void,
): Promise<EventView> {
  const { io, progress, background } = attendance;
  switch (progress) {
    case "tty":
      return (await import("./open-live-view.ts")).openLiveView(
        {
          id: run.id,
          command: (command) => run.command(command),
          ...(background?.status === "possible"
            ? { detaching: { status: "possible", letGo: detach } }
            : present({ detaching: background })),
        },
        attendance,
      );
    case "plain":
      return openPlainView(run, attendance);
    case "json":
    case "json-all": {
      const write = (line: string) => io.stdout.write(`${line}\n`);
      const showsOperations = progress === "json-all";
      const { createJsonView } = await import("../view/json-view.ts");
      const { show } = createJsonView({ write, run: run.id, showsOperations });
      const { machine } = attendance;
      return {
        show: (event) => show(lookUpWholeText(machine, run.id, event)),
        close: () => {},
      };
    }
    case "quiet":
      return { show: (event) => showError(event, io), close: () => {} };
    case "none":
      return { show: () => {}, close: () => {} };
  }
}

/** What a run says goes wrong is said even where nothing but its result is shown. */
function showError(event: JournalEvent, io: Attendance["io"]): void {
  if (event.type !== "log" || event.level !== "error") return;
  io.stderr.write(`error: ${toPrintableLines(event.text).join(" ")}\n`);
}

async function openPlainView(run: WorkflowRun, attendance: Attendance): Promise<EventView> {
  const { io, settings } = attendance;
  const style = await plainStyle(settings);
  const prompt = asksInTerminal(attendance) ? await createPrompt(run, attendance) : undefined;
  const write = (line: string) => {
    prompt?.interrupt();
    io.stdout.write(`${line}\n`);
  };
  const { show } = createPlainView({ write, ...style });
  return {
    show: (event, state) => {
      show(event, state);
      prompt?.sync(state);
    },
    close: () => prompt?.close(),
  };
}

async function createPrompt(
  run: WorkflowRun,
  { machine, io, settings }: Attendance,
): Promise<InboxPrompt> {
  const [{ InboxPrompt }, { commandFamily }, { ItemsBelow }] = await Promise.all([
    import("./inbox-prompt.ts"),
    import("./command-below.ts"),
    import("../../app/runs/families/asked-below.ts"),
  ]);
  const items = new ItemsBelow(machine);
  return new InboxPrompt({
    io,
    settings,
    command: commandFamily(machine, (command) => run.command(command)),
    below: (state) => items.of(state),
    onRefused: (error) => reportWarning(error, io, settings),
  });
}
