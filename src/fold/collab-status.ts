import type { CollabStatus, CollabStatusName } from "../contracts/collab.ts";
import { hasWakingMessages } from "./message-reading.ts";
import type { AgentState } from "./state/agent-state.ts";
import type { RunState } from "./state/run-state.ts";

/** Where an agent is (COL-2, COL-11): at work, or how it came to have nothing to do. */
export function collabStatusOf(state: RunState, agent: AgentState): CollabStatus {
  const { ending } = agent;
  if (agent.status === "exited") {
    // It has ended with its task: what that came to is what there is to know.
    const isTask = agent.spec.subagent !== undefined && ending !== undefined;
    return told(isTask ? ending.status : "shutdown", ending?.text);
  }
  if (agent.turns.size > 0) return { status: "running" };
  const hasWork =
    agent.interruptedTurns.size > 0 ||
    agent.activity.queuedPrompts > 0 ||
    hasWakingMessages(state, agent.id);
  if (!hasWork && ending !== undefined) return told(ending.status, ending.text);
  return { status: agent.status === "starting" ? "pending_init" : "running" };
}

/** Whether nothing more is to be waited for: all but beginning and working (COL-11). */
export function isFinalStatus(status: CollabStatusName): boolean {
  return status !== "pending_init" && status !== "running";
}

function told(status: CollabStatusName, text: string | undefined): CollabStatus {
  return text === undefined || text === "" ? { status } : { status, text };
}
