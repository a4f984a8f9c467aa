import type { TurnItem } from "../contracts/events/agent-events.ts";
import type { ReceivedMessage } from "../contracts/message.ts";
import type { TurnTerms } from "../contracts/turn-terms.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { hasWakingMessages, pendingMessages } from "../fold/message-reading.ts";
import { findMailbox } from "../fold/state/agent-lookup.ts";
import type { AgentState, TurnState } from "../fold/state/agent-state.ts";
import type { MessageSource } from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import type { PromptItem } from "./turn-prompt.ts";
import { termsOf } from "./turn-terms.ts";

/** A turn that is about to start: what it takes from the mailbox and how it is called. */
export interface PlannedTurn {
  readonly turn: number;
  readonly attempt: number;
  readonly key: string;
  readonly prompt: PromptItem | undefined;
  readonly messages: readonly ReceivedMessage[];
  readonly terms: TurnTerms;
  /** How often it was cut off because its model's provider asked to wait. */
  readonly waits: number;
  /** When that happened for the first time, in milliseconds since the epoch. */
  readonly waitsSince: number | undefined;
}

const MAX_MESSAGE_ATTEMPTS = 5;
/** Most messages that one turn takes, so that a flooded inbox does not make an endless prompt. */
const MAX_MESSAGES_PER_TURN = 100;

/**
 * What the agent's next turn is made of, or undefined when nothing waits. A turn that was cut off with its
 * owner starts again with the same items, number and key; messages that too many turns have taken in vain
 * go to the dead letters.
 */
export function planTurn(
  runtime: RunRuntime,
  agent: AgentState,
  wanted: { readonly prompt: PromptItem | undefined; readonly takesMessages: boolean },
): PlannedTurn | undefined {
  const { prompt, takesMessages } = wanted;
  const before = findInterrupted(agent, prompt);
  const again = before === undefined ? [] : messagesOf(runtime, agent, before);
  // A turn of messages alone that were all dealt with elsewhere has nothing left to start again.
  const startsAgain = before !== undefined && (prompt !== undefined || again.length > 0);
  if (startsAgain) {
    const { turn, key, waits, waitsSince } = before;
    const attempt = before.attempt + 1;
    const terms = termsOf(agent, again);
    return { turn, attempt, key, prompt, messages: again, terms, waits, waitsSince };
  }
  // What was cut off goes first: its prompt is on its way.
  if (prompt === undefined && isPromptExpected(runtime.state, agent)) return undefined;
  const isWorthATurn = prompt !== undefined || hasWakingMessages(runtime.state, agent.id);
  const messages = takesMessages && isWorthATurn ? takeMessages(runtime, agent) : [];
  const [first] = messages;
  if (prompt === undefined && first === undefined) return undefined;
  return {
    turn: agent.lastTurn + 1,
    attempt: 1,
    // Several agents may be woken by one message: what each does of it must not count as the same.
    key: prompt?.key ?? `${runtime.run}/${first?.id ?? ""}/${agent.id}`,
    prompt,
    messages,
    terms: termsOf(agent, messages),
    waits: 0,
    waitsSince: undefined,
  };
}

/** Settles what a turn would have taken that will never start: its prompt, or messages as dead letters. */
export function giveUpItems(
  runtime: RunRuntime,
  agent: AgentState,
  { planned, error }: { readonly planned: PlannedTurn; readonly error: unknown },
): void {
  const { prompt, messages } = planned;
  if (prompt !== undefined) {
    prompt.reject(error);
    return;
  }
  for (const { id } of messages) {
    const attempts = findMailbox(runtime.state, agent.id)?.items.get(id)?.attempts ?? 0;
    runtime.append({ type: "message-dead", agent: agent.id, id, attempts });
  }
}

/** The items of a planned turn as the journal names them. */
export function turnItemsOf(planned: PlannedTurn): readonly TurnItem[] {
  const prompts: TurnItem[] =
    planned.prompt === undefined ? [] : [{ kind: "prompt", op: planned.prompt.op }];
  return [...prompts, ...planned.messages.map(({ id }): TurnItem => ({ kind: "message", id }))];
}

/** The messages that a turn had taken and that wait again. */
function messagesOf(
  source: MessageSource,
  agent: AgentState,
  turn: TurnState,
): readonly ReceivedMessage[] {
  const ids = new Set(messageIds(turn));
  if (ids.size === 0) return [];
  return pendingMessages(source, agent.id)
    .map(({ message }) => message)
    .filter(({ id }) => ids.has(id));
}

/** All that waits and that no turn to be started again will take; what was tried too often is given up. */
function takeMessages(runtime: RunRuntime, agent: AgentState): readonly ReceivedMessage[] {
  const { state } = runtime;
  const kept = keptForOthers(state, agent);
  const pending = pendingMessages(runtime, agent.id, MAX_MESSAGES_PER_TURN + kept.size).filter(
    ({ message }) => !kept.has(message.id),
  );
  for (const { message, attempts } of pending) {
    if (attempts < MAX_MESSAGE_ATTEMPTS) continue;
    runtime.append({ type: "message-dead", agent: agent.id, id: message.id, attempts });
  }
  return pending
    .filter(({ attempts }) => attempts < MAX_MESSAGE_ATTEMPTS)
    .map(({ message }) => message);
}

/** Messages of turns that will be started again: those with an open prompt, and those without any. */
function keptForOthers(state: RunState, agent: AgentState): ReadonlySet<string> {
  const kept = new Set<string>();
  for (const turn of agent.interruptedTurns.values()) {
    const op = promptOf(turn);
    if (op !== undefined && !state.operations.open.has(op)) continue;
    for (const id of messageIds(turn)) kept.add(id);
  }
  return kept;
}

function isPromptExpected(state: RunState, agent: AgentState): boolean {
  for (const turn of agent.interruptedTurns.values()) {
    const op = promptOf(turn);
    if (op !== undefined && state.operations.open.has(op)) return true;
  }
  return false;
}

function findInterrupted(agent: AgentState, prompt: PromptItem | undefined): TurnState | undefined {
  for (const turn of agent.interruptedTurns.values())
    if (promptOf(turn) === prompt?.op) return turn;
  return undefined;
}

/** The operation whose prompt a turn took; undefined when it took messages alone. */
function promptOf(turn: TurnState): string | undefined {
  for (const item of turn.items) if (item.kind === "prompt") return item.op;
  return undefined;
}

function messageIds(turn: TurnState): readonly string[] {
  return turn.items.flatMap((item) => (item.kind === "message" ? [item.id] : []));
}
