import { canonicalJson } from "../../foundation/json.ts";
import { closeAsk, openAsk } from "../activity.ts";
import { findTurn } from "../agent-lookup.ts";
import type { FoldTable } from "../fold-table.ts";
import type { RunState } from "../run-state.ts";
import type { InboxResolution } from "../state/inbox-state.ts";

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
      comment: event.comment,
      edited: event.edited,
    }),
  "permission-requested": (state, event) => {
    const { id, agent, turn, tool, input } = event;
    state.inbox.set(id, {
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
    ask(state, { agent, turn, id });
  },
  "permission-resolved": (state, event) =>
    resolve(state, event.id, {
      kind: "permission",
      decision: event.decision,
      by: event.by,
      comment: event.comment,
    }),
  "question-asked": (state, event) => {
    const { id, agent, turn, text } = event;
    const step = findTurn(state, agent, turn)?.step?.id;
    const { at: createdAt, seq } = event;
    state.inbox.set(id, { kind: "question", id, text, createdAt, seq, agent, turn, step });
    ask(state, { agent, turn, id });
  },
  "question-answered": (state, event) =>
    resolve(state, event.id, { kind: "question", answer: event.answer, by: event.by }),
  "turn-completed": (state, event) => withdraw(state, event),
  "turn-failed": (state, event) => withdraw(state, event),
  "turn-interrupted": (state, event) => withdraw(state, event),
  "operation-settled": (state, event) => {
    const approval = state.operations.open.get(event.op)?.approval;
    if (approval !== undefined) state.inbox.delete(approval);
  },
  "run-ended": (state, event) => {
    if (!event.resumable) state.inbox.clear();
  },
};

interface TurnReference {
  readonly agent: string;
  readonly turn: number;
}

function ask(state: RunState, request: TurnReference & { readonly id: string }): void {
  openAsk(state, request);
  const agent = state.agents.get(request.agent);
  if (agent?.turns.has(request.turn)) agent.status = "waiting-permission";
}

function resolve(state: RunState, id: string, resolution: InboxResolution): void {
  const item = state.inbox.get(id);
  // The first decision is the one that counts.
  if (!state.resolved.has(id)) state.resolved.set(id, resolution);
  if (item === undefined) return;
  state.inbox.delete(id);
  if (item.kind === "approval") return;
  closeAsk(state, item);
  const agent = state.agents.get(item.agent);
  if (agent?.status !== "waiting-permission" || agent.activity.waitingTurns > 0) return;
  agent.status = agent.turns.size > 0 ? "working" : "idle";
}

/** Nobody can answer a turn that is over. */
function withdraw(state: RunState, { agent, turn }: TurnReference): void {
  for (const id of findTurn(state, agent, turn)?.asks ?? []) state.inbox.delete(id);
}

function shorten(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS).toWellFormed()}…` : text;
}
