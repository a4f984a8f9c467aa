import { canonicalJson } from "../../foundation/json.ts";
import { closeAsk, openAsk } from "../activity.ts";
import { findInterruptedTurn, findTurn } from "../agent-lookup.ts";
import type { FoldTable } from "../fold-table.ts";
import type { RunState } from "../run-state.ts";
import type { InboxItem, InboxResolution } from "../state/inbox-state.ts";

// An inbox is read by people in one line per item; the whole input stays beside it.
const MAX_TEXT_CHARS = 200;

/** What people are asked for, and what became of it. */
export const inboxTable: FoldTable = {
  "approval-requested": (state, event) => {
    state.inbox.set(event.approval, {
      kind: "approval",
      id: event.approval,
      text: event.message,
      createdAt: event.at,
      seq: event.seq,
      op: event.op,
      step: event.step,
      show: event.show,
      hash: event.hash,
      expiresAt: event.expiresAt,
    });
    const operation = state.operations.open.get(event.op);
    if (operation !== undefined) operation.approval = event.approval;
  },
  "approval-resolved": (state, event) =>
    resolve(state, event.approval, {
      kind: "approval",
      decision: event.decision,
      by: event.by,
      at: event.at,
      comment: event.comment,
      edited: event.edited,
    }),
  "permission-requested": (state, event) => {
    const { id, agent, turn, tool, input } = event;
    ask(state, {
      kind: "permission",
      id,
      text: shorten(`${tool} ${canonicalJson(input)}`),
      createdAt: event.at,
      seq: event.seq,
      agent,
      turn,
      step: findTurn(state, agent, turn)?.step?.id,
      tool,
      input,
    });
  },
  "permission-resolved": (state, event) =>
    resolve(state, event.id, {
      kind: "permission",
      decision: event.decision,
      by: event.by,
      at: event.at,
      comment: event.comment,
    }),
  "question-asked": (state, event) => {
    const { id, agent, turn, message, text, seq } = event;
    const step = turn === undefined ? undefined : findTurn(state, agent, turn)?.step?.id;
    const createdAt = event.at;
    ask(state, { kind: "question", id, text, createdAt, seq, agent, turn, message, step });
  },
  "question-answered": (state, { id, answer, by, at }) =>
    resolve(state, id, { kind: "question", answer, by, at }),
  "turn-completed": (state, event) => withdraw(state, event),
  "turn-failed": (state, event) => withdraw(state, event),
  "turn-interrupted": (state, event) => {
    if (event.reason === "owner-died" || event.reason === "suspended") setAside(state, event);
    else withdraw(state, event);
  },
  "operation-settled": (state, event) => {
    const operation = state.operations.open.get(event.op);
    if (operation === undefined) return;
    if (operation.approval !== undefined) state.inbox.delete(operation.approval);
    // It starts no turn again.
    const turn = state.suspendedAsks.size === 0 ? undefined : findInterruptedTurn(state, event.op);
    if (turn !== undefined) withdraw(state, turn);
  },
  "agent-exited": (state, event) => {
    for (const item of state.suspendedAsks.values())
      if (item.kind !== "approval" && item.agent === event.agent) forget(state, item.id);
  },
  "run-ended": (state, event) => {
    if (event.resumable) return;
    // What turns and operations asked went with them; a message outlives its turn.
    state.unanswered.push(...state.inbox.values());
    state.inbox.clear();
    state.suspendedAsks.clear();
  },
};

type AgentItem = Exclude<InboxItem, { readonly kind: "approval" }>;

interface TurnReference {
  readonly agent: string;
  readonly turn: number;
}

function ask(state: RunState, item: AgentItem): void {
  // Asked again by a turn that was cut off: the person has waited for it since the first time.
  const { createdAt } = state.suspendedAsks.get(item.id) ?? item;
  state.suspendedAsks.delete(item.id);
  state.inbox.set(item.id, { ...item, createdAt });
  const { id, agent: agentId, turn } = item;
  if (turn === undefined) return;
  openAsk(state, { agent: agentId, turn, id });
  const agent = state.agents.get(agentId);
  if (agent?.turns.has(turn)) agent.status = "waiting-permission";
}

function resolve(state: RunState, id: string, resolution: InboxResolution): void {
  const item = state.inbox.get(id);
  // The first decision is the one that counts.
  if (!state.resolved.has(id)) state.resolved.set(id, resolution);
  forget(state, id);
  if (item === undefined || item.kind === "approval" || item.turn === undefined) return;
  closeAsk(state, { agent: item.agent, turn: item.turn, id });
  const agent = state.agents.get(item.agent);
  if (agent?.status !== "waiting-permission" || agent.activity.waitingTurns > 0) return;
  agent.status = agent.turns.size > 0 ? "working" : "idle";
}

function forget(state: RunState, id: string): void {
  state.inbox.delete(id);
  state.suspendedAsks.delete(id);
}

/** Nobody can answer a turn that is over. */
function withdraw(state: RunState, { agent, turn }: TurnReference): void {
  for (const id of findTurn(state, agent, turn)?.asks ?? []) state.inbox.delete(id);
  for (const item of state.suspendedAsks.values())
    if (item.kind !== "approval" && item.agent === agent && item.turn === turn)
      forget(state, item.id);
}

/** The turn starts again with the same questions, so people may answer them meanwhile. */
function setAside(state: RunState, { agent, turn }: TurnReference): void {
  for (const id of findTurn(state, agent, turn)?.asks ?? []) {
    const item = state.inbox.get(id);
    if (item !== undefined) state.suspendedAsks.set(id, item);
    state.inbox.delete(id);
  }
}

function shorten(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS).toWellFormed()}…` : text;
}
