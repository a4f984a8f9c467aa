import type { RunCommand } from "../contracts/events/run-events.ts";
import { itemResolved, itemUnknown, runOver } from "../engine/errors.ts";
import type { RunState } from "../fold/run-state.ts";
import type { InboxResolution } from "../fold/state/inbox-state.ts";
import { isOver, waitingItems } from "../fold/waiting.ts";
import { assertPostable } from "../messaging/post-message.ts";

/**
 * Whether a command can take effect in a run, by its fold alone, so that owner and bystander say the same.
 * Raises ENGINE_RUN_OVER, ENGINE_ITEM_UNKNOWN, ENGINE_ITEM_RESOLVED and, for a message, what posting raises.
 */
export function assertCommand(state: RunState, command: RunCommand): void {
  const run = state.run.id;
  if (isOver(state) && state.phase.status === "ended")
    throw runOver({ run, outcome: state.phase.outcome });
  if (command.kind === "send") assertPostable(state, "user", command);
  const item = itemOf(command);
  if (item === undefined) return;
  const earlier = resolutionOf(state, item.id);
  if (earlier !== undefined) throw itemResolved({ id: item.id, ...earlier });
  const waiting = waitingItems(state).find((candidate) => candidate.id === item.id);
  if (waiting?.kind !== item.kind) throw itemUnknown({ run, id: item.id, kind: item.kind });
}

function itemOf(
  command: RunCommand,
): { readonly id: string; readonly kind: "approval" | "permission" | "question" } | undefined {
  switch (command.kind) {
    case "resolve-approval":
      return { id: command.approval, kind: "approval" };
    case "resolve-permission":
      return { id: command.id, kind: "permission" };
    case "answer-question":
      return { id: command.id, kind: "question" };
    default:
      return undefined;
  }
}

function resolutionOf(
  state: RunState,
  id: string,
): { readonly decision: string; readonly by: string } | undefined {
  const resolution = state.resolved.get(id);
  if (resolution !== undefined) return { decision: wordFor(resolution), by: resolution.by };
  const recorded = state.commands.find(({ command }) => itemOf(command)?.id === id);
  return recorded === undefined
    ? undefined
    : { decision: decisionOf(recorded.command), by: recorded.by };
}

function decisionOf(command: RunCommand): string {
  return "decision" in command ? command.decision : "answered";
}

function wordFor(resolution: InboxResolution): string {
  return resolution.kind === "question" ? `"${resolution.answer}"` : resolution.decision;
}
