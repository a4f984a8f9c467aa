import { toAskedCall } from "../../foundation/asked-call.ts";
import { closeAsk, openAsk } from "../state/activity.ts";
import { findInterruptedTurn, findTurn } from "../state/agent-lookup.ts";
import { repeatedText, trailAsk, trailUse } from "../state/call-trail.ts";
import type { InboxItem, InboxResolution } from "../state/inbox-state.ts";
import type { RunState } from "../state/run-state.ts";
import { startsAgain } from "../state/starts-again.ts";
import type { FoldTable } from "./fold-table.ts";

// An inbox is read by people in one line per item; the whole input stays beside it.
const MAX_TEXT_CHARS = 200;

/** What people are asked for, and what became of it. */
export const inboxTable: FoldTable = {
  "approval-requested": (state, event) => {
    const { approval: id, op, agent, turn, hash, show, expiresAt } = event;
    noteAsker(state, id, op ?? `${agent}:${hash}`);
    const step =
      agent === undefined || turn === undefined
        ? event.step
        : findTurn(state, agent, turn)?.step?.id;
    const asked = { kind: "approval", id, text: event.message, op, turn, step } as const;
    const item = { ...asked, show, hash, expiresAt, createdAt: event.at, seq: event.seq };
    if (agent !== undefined) return ask(state, { ...item, agent });
    state.inbox.set(id, { ...item, agent });
    const operation = op === undefined ? undefined : state.operations.open.get(op);
    if (operation !== undefined) operation.approval = id;
  },
  "approval-deferred": (state, { approval: id, agent, turn }) => {
    const item = state.inbox.get(id);
    if (item?.kind === "approval") state.inbox.set(id, { ...item, turn: undefined });
    closeAsk(state, { agent, turn, id });
    goOn(state, agent);
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
    const { id, agent, turn, tool, input, expiresAt, repeats } = event;
    noteAsker(state, id, event.asker);
    const asking = findTurn(state, agent, turn);
    if (asking !== undefined) trailAsk(asking.trail, id, event);
    ask(state, {
      kind: "permission",
      id,
      text: shorten(toAskedCall(tool, input).line),
      createdAt: event.at,
      seq: event.seq,
      agent,
      turn,
      step: asking?.step?.id,
      tool,
      input,
      expiresAt,
      known: repeats && repeatedText(repeats),
    });
  },
  "permission-used": (state, { id, agent, turn, call }) => {
    const using = findTurn(state, agent, turn);
    if (using !== undefined) trailUse(using.trail, id, call);
  },
  "permission-resolved": (state, event) => {
    if (event.always !== undefined) state.grants.push(event.always);
    resolve(state, event.id, {
      kind: "permission",
      decision: event.decision,
      by: event.by,
      at: event.at,
      comment: event.comment,
    });
  },
  "question-asked": (state, event) => {
    const { id, op, agent, turn, message, text, seq, options, many = false } = event;
    noteAsker(state, id, event.asker);
    const step = turn === undefined ? undefined : findTurn(state, agent, turn)?.step?.id;
    const createdAt = event.at;
    const choice = { options, many };
    ask(state, {
      ...{ kind: "question", id, text, createdAt, seq, agent, op, turn, message, step },
      ...choice,
    });
    const operation = op === undefined ? undefined : state.operations.open.get(op);
    if (operation !== undefined) operation.approval = id;
  },
  "question-answered": (state, { id, answer, by, at }) =>
    resolve(state, id, { kind: "question", answer, by, at }),
  "turn-completed": (state, event) => withdraw(state, event),
  "turn-failed": (state, event) => withdraw(state, event),
  "turn-interrupted": (state, event) => {
    if (startsAgain(event.reason)) setAside(state, event);
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
      if (item.agent === event.agent) forget(state, item.id);
    for (const item of state.inbox.values()) {
      if (item.kind !== "approval" || item.agent !== event.agent) continue;
      state.unanswered.push(item);
      forget(state, item.id);
    }
  },
  "run-ended": (state, event) => {
    if (event.resumable) return;
    // What turns and operations asked went with them; a message outlives its turn.
    state.unanswered.push(...state.inbox.values());
    state.inbox.clear();
    state.suspendedAsks.clear();
  },
};

function noteAsker(state: RunState, id: string, asker: string | undefined): void {
  if (!state.askers.has(id)) state.askers.set(id, asker);
}

type AgentItem = InboxItem & { readonly agent: string };

interface TurnReference {
  readonly agent: string;
  readonly turn: number;
}

function ask(state: RunState, item: AgentItem): void {
  // Asked again by a turn that was cut off, or that waits again: the person has seen it since the first time.
  const { createdAt } = state.suspendedAsks.get(item.id) ?? state.inbox.get(item.id) ?? item;
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
  if (item?.agent === undefined) return;
  // Several turns of an agent may wait for one approval.
  const turns = state.agents.get(item.agent)?.turns.values() ?? [];
  for (const { turn } of turns) closeAsk(state, { agent: item.agent, turn, id });
  goOn(state, item.agent);
}

/** The agent does not wait any more, unless another of its turns does. */
function goOn(state: RunState, id: string): void {
  const agent = state.agents.get(id);
  if (agent?.status !== "waiting-permission" || agent.activity.waitingTurns > 0) return;
  agent.status = agent.turns.size > 0 ? "working" : "idle";
}

function forget(state: RunState, id: string): void {
  state.inbox.delete(id);
  state.suspendedAsks.delete(id);
}

/** Nobody can answer a turn that is over; what it asked to be approved outlives it. */
function withdraw(state: RunState, { agent, turn }: TurnReference): void {
  for (const { id } of itemsOfTurn(state, agent, turn)) state.inbox.delete(id);
  for (const item of state.suspendedAsks.values())
    if (item.agent === agent && item.turn === turn) forget(state, item.id);
}

/** The turn starts again with the same questions, so people may answer them meanwhile. */
function setAside(state: RunState, { agent, turn }: TurnReference): void {
  for (const item of itemsOfTurn(state, agent, turn)) {
    state.suspendedAsks.set(item.id, item);
    state.inbox.delete(item.id);
  }
}

function itemsOfTurn(state: RunState, agent: string, turn: number): readonly InboxItem[] {
  return [...(findTurn(state, agent, turn)?.asks ?? [])].flatMap((id) => {
    const item = state.inbox.get(id);
    return item === undefined || item.kind === "approval" ? [] : [item];
  });
}

function shorten(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS).toWellFormed()}…` : text;
}
