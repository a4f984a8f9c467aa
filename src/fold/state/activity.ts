/**
 * Owns the counters that tell whether anything but a person can move a run on. Every change is O(1).
 *
 * A1 `activity.work` is the number of open operations that are neither waiting for a person (`approval`, `question`)
 *    nor for others (`next`, `woken`, `quiescent`, `watch`) nor for time (`deadline`).
 * A2 A running turn waits while one of its permission requests or questions is open.
 * A3 An open `turn` operation stands still while the turn that took it waits, or while it is queued for
 *    an agent with one session for all turns and that session's turn waits.
 */
import type { TurnRights } from "../../contracts/agent.ts";
import { isRecord } from "../../foundation/json.ts";
import { findAgent, findTurn } from "./agent-lookup.ts";
import type { AgentState, TurnState } from "./agent-state.ts";
import type { OpenOperation } from "./operation-state.ts";
import type { RunState } from "./run-state.ts";

const KINDS_THAT_WAIT: ReadonlySet<string> = new Set([
  "approval",
  "question",
  "next",
  "woken",
  "quiescent",
  "deadline",
  "watch",
]);
const TURN_KIND = "turn";

/** Counts an operation that has just been scheduled. */
export function openOperation(state: RunState, operation: OpenOperation): void {
  if (!KINDS_THAT_WAIT.has(operation.kind)) state.activity.work += 1;
  if (operation.kind !== TURN_KIND || !isRecord(operation.input)) return;
  const { agent: id } = operation.input;
  const agent = typeof id === "string" ? findAgent(state, id) : undefined;
  if (agent !== undefined) queuePrompt(state, agent, operation);
}

/** Stops counting an operation that has just been settled. */
export function closeOperation(state: RunState, operation: OpenOperation): void {
  if (!KINDS_THAT_WAIT.has(operation.kind)) state.activity.work -= 1;
  const agent = operation.agent === undefined ? undefined : state.agents.get(operation.agent);
  if (agent !== undefined) forgetPrompt(state, agent, operation);
}

/** Counts a turn that has just started, with the open operations among its items. */
export function openTurn(state: RunState, agent: AgentState, turn: TurnState): void {
  state.activity.runningTurns += 1;
  agent.turns.set(turn.turn, turn);
  for (const operation of promptOperations(state, turn)) {
    const owner = operation.agent === undefined ? undefined : state.agents.get(operation.agent);
    if (owner !== undefined) forgetPrompt(state, owner, operation);
    operation.agent = agent.id;
    operation.turn = turn.turn;
    turn.rights ??= rightsOf(operation);
    turn.prompts += 1;
  }
}

/** Stops counting a turn; its open operations are queued again until they settle or are taken again. */
export function closeTurn(state: RunState, agent: AgentState, turn: TurnState): void {
  for (const id of [...turn.asks]) closeAsk(state, { agent: agent.id, turn: turn.turn, id });
  state.activity.runningTurns -= 1;
  agent.turns.delete(turn.turn);
  for (const operation of promptOperations(state, turn)) queuePrompt(state, agent, operation);
  turn.prompts = 0;
}

/** A permission request or question of a turn. */
export interface Ask {
  readonly agent: string;
  readonly turn: number;
  readonly id: string;
}

/** The turn waits for a person from now on. */
export function openAsk(state: RunState, ask: Ask): void {
  const agent = state.agents.get(ask.agent);
  const turn = findTurn(state, ask.agent, ask.turn);
  if (agent === undefined || turn === undefined) return;
  turn.asks.add(ask.id);
  if (turn.asks.size === 1) changeWaiting(state, { agent, turn, change: 1 });
}

/** One thing less that the turn waits for. */
export function closeAsk(state: RunState, ask: Ask): void {
  const agent = state.agents.get(ask.agent);
  const turn = findTurn(state, ask.agent, ask.turn);
  if (agent === undefined || !turn?.asks.delete(ask.id)) return;
  if (turn.asks.size === 0) changeWaiting(state, { agent, turn, change: -1 });
}

interface WaitingChange {
  readonly agent: AgentState;
  readonly turn: TurnState;
  readonly change: 1 | -1;
}

function changeWaiting(state: RunState, { agent, turn, change }: WaitingChange): void {
  state.activity.waitingTurns += change;
  recount(state, agent, () => {
    agent.activity.waitingTurns += change;
    agent.activity.waitingPrompts += change * turn.prompts;
  });
}

function queuePrompt(state: RunState, agent: AgentState, operation: OpenOperation): void {
  operation.agent = agent.id;
  operation.turn = undefined;
  recount(state, agent, () => {
    agent.activity.queuedPrompts += 1;
  });
}

function forgetPrompt(state: RunState, agent: AgentState, operation: OpenOperation): void {
  const turn = operation.turn === undefined ? undefined : agent.turns.get(operation.turn);
  recount(state, agent, () => {
    if (turn === undefined) agent.activity.queuedPrompts -= 1;
    else if (turn.asks.size > 0) agent.activity.waitingPrompts -= 1;
  });
  if (turn !== undefined) turn.prompts -= 1;
}

function recount(state: RunState, agent: AgentState, change: () => void): void {
  const before = blockedPrompts(agent);
  change();
  state.activity.blockedPrompts += blockedPrompts(agent) - before;
}

function blockedPrompts({ activity, spec }: AgentState): number {
  const isSessionTaken = spec.session === "keep" && activity.waitingTurns > 0;
  return activity.waitingPrompts + (isSessionTaken ? activity.queuedPrompts : 0);
}

function promptOperations(state: RunState, turn: TurnState): readonly OpenOperation[] {
  return turn.items.flatMap((item) => {
    const operation = item.kind === "prompt" ? state.operations.open.get(item.op) : undefined;
    return operation?.kind === TURN_KIND ? [operation] : [];
  });
}

function rightsOf({ input }: OpenOperation): TurnRights | undefined {
  if (!isRecord(input) || !isRecord(input["rights"])) return undefined;
  const { writesTo, signals } = input["rights"];
  return {
    ...(isStrings(writesTo) ? { writesTo } : {}),
    ...(isStrings(signals) ? { signals } : {}),
  };
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
