import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { RunState } from "../state/run-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** Commands stay open until what they ask for is in the journal, or can no longer be. */
export const commandTable: FoldTable = {
  "command-received": (state, { seq, command, by, at }) => {
    if (command.kind === "unpause") close(state, (open) => open.kind === "pause");
    else state.commands.push({ seq, command, by, at });
  },
  "approval-resolved": (state, event) =>
    close(state, (open) => open.kind === "resolve-approval" && open.approval === event.approval),
  "permission-resolved": (state, event) =>
    close(state, (open) => open.kind === "resolve-permission" && open.id === event.id),
  "question-answered": (state, event) =>
    close(state, (open) => open.kind === "answer-question" && open.id === event.id),
  "message-posted": (state, event) =>
    close(state, (open) => open.kind === "send" && open.key === event.key),
  "agent-exited": (state, event) =>
    close(state, (open) => open.kind === "release" && open.agent === event.agent),
  "agent-restarted": (state, event) =>
    close(state, (open) => open.kind === "restart" && open.agent === event.agent),
  "cancellation-requested": (state) => close(state, (open) => open.kind === "cancel"),
  "run-suspended": (state) => close(state, (open) => open.kind === "pause"),
  // Whoever resumes a run wants it to go on.
  "run-resumed": (state) => close(state, (open) => open.kind === "pause"),
  "run-ended": (state, event) => {
    if (!event.resumable) close(state, () => true);
  },
};

function close(state: RunState, isDone: (command: RunCommand) => boolean): void {
  if (state.commands.length === 0) return;
  const open = state.commands.filter(({ command }) => !isDone(command));
  state.commands.splice(0, state.commands.length, ...open);
}
