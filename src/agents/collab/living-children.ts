import { collabStatusOf } from "../../fold/collab-status.ts";
import { agentKey } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import { type MessageSource, messagesAt } from "../../fold/state/message-source.ts";
import { childrenOf } from "./reach.ts";

const MOST_TOLD = 20;
const MAX_TASK_CHARS = 160;

/**
 * What an agent is told of its own agents that live, for a session that does not know of them: it would spawn others
 * for the same (COL-13). Undefined when there are none.
 */
export function tellLivingChildren(source: MessageSource, parent: string): string | undefined {
  const { state } = source;
  const living = childrenOf(state, parent).filter(({ status }) => status !== "exited");
  if (living.length === 0) return undefined;
  const more = living.length - MOST_TOLD;
  return [
    "[troupe] You have spawned these agents, and they live, whatever you remember of them. Do not spawn others for what they do: wait for them, tell them more, or close them.",
    ...living.slice(0, MOST_TOLD).map((child) => `> ${lineOf(source, child)}`),
    ...(more > 0 ? [`> … ${more} more`] : []),
  ].join("\n");
}

function lineOf(source: MessageSource, child: AgentState): string {
  const { status } = collabStatusOf(source.state, child);
  const received = source.state.messages.byReader.get(agentKey(child.id)) ?? [];
  const task = messagesAt(source, received).find(({ to }) => to !== undefined);
  return `${child.id}: ${status}${task === undefined ? "" : `, for: ${excerptOf(task.text)}`}`;
}

/** On one line, so that nothing in it passes for a line of Troupe's own. */
function excerptOf(text: string): string {
  const line = text.slice(0, MAX_TASK_CHARS).toWellFormed();
  return JSON.stringify(text.length > MAX_TASK_CHARS ? `${line}…` : line);
}
