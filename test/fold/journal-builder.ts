import type { EventData, JournalEvent } from "../../src/contracts/events/event.ts";

/** Start of every journal that tests build, in ms since the epoch. */
export const START_MS = Date.UTC(2026, 0, 1, 10);

/** Events of one journal: a second apart unless a pair says how many ms after the start. */
export function journal(
  entries: readonly (EventData | readonly [number, EventData])[],
): readonly JournalEvent[] {
  return entries.map((entry, index) => {
    const [afterMs, data] = isPair(entry) ? entry : [index * 1000, entry];
    return { ...data, seq: index + 1, at: START_MS + afterMs };
  });
}

export const created: EventData = {
  type: "run-created",
  workflow: "review",
  instance: "default",
  definitionHash: "d00d",
  program: "pattern/dag",
  seed: "seed",
  troupe: "0.1.0",
  cwd: "/project",
  task: "fix it",
  limits: { timeoutMs: 60_000 },
};

export const started: EventData = { type: "run-started", epoch: 1 };

export const ended = {
  type: "run-ended",
  outcome: "completed",
  reason: "done",
  resumable: false,
  exitCode: 0,
  durationMs: 1,
  result: null,
} satisfies EventData;

export function spawned(agent: string, session: "fresh" | "keep" = "fresh"): EventData {
  const spec = { id: agent, backend: "script", session };
  return { type: "agent-spawned", agent, backend: "script", spec };
}

export function posted(id: string, to: readonly string[], from = "lead"): EventData {
  return { type: "message-posted", id, from, to, text: `text of ${id}`, mentions: [], signals: [] };
}

/** A turn of the agent that takes messages and prompts of operations. */
export function turnStarted(
  agent: string,
  turn: number,
  items: { readonly messages?: readonly string[]; readonly ops?: readonly string[] } = {},
): EventData {
  return {
    type: "turn-started",
    agent,
    turn,
    attempt: 1,
    session: `${agent}-1`,
    key: `run_a/${agent}/${turn}`,
    items: [
      ...(items.ops ?? []).map((op) => ({ kind: "prompt", op }) as const),
      ...(items.messages ?? []).map((id) => ({ kind: "message", id }) as const),
    ],
  };
}

export function turnCompleted(agent: string, turn: number, text = "done"): EventData {
  const usage = { inputTokens: 10, costUsd: 0.25 };
  const stopReason = "end_turn";
  return { type: "turn-completed", agent, turn, text, stopReason, signals: [], usage };
}

export function turnFailed(agent: string, turn: number): EventData {
  return { type: "turn-failed", agent, turn, error: { code: "BACKEND_X", message: "broke" } };
}

export function scheduled(op: string, kind: string, agent?: string): EventData {
  const input = agent === undefined ? {} : { agent };
  return { type: "operation-scheduled", op, kind, input };
}

export function settled(op: string): EventData {
  return { type: "operation-settled", op, outcome: { status: "ok", value: null } };
}

export function approvalRequested(approval: string, op: string): EventData {
  return { type: "approval-requested", approval, op, message: "Push?", hash: "abc" };
}

export function permissionRequested(id: string, agent: string, turn: number): EventData {
  const input = { command: "rm -rf build" };
  return { type: "permission-requested", id, agent, turn, tool: "Bash", input };
}

export function permissionResolved(id: string): EventData {
  return { type: "permission-resolved", id, decision: "allowed", by: "user" };
}

function isPair(
  entry: EventData | readonly [number, EventData],
): entry is readonly [number, EventData] {
  return Array.isArray(entry);
}
