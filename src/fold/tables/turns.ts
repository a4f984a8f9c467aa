import type { SessionRecordEvent } from "../../contracts/events/session-events.ts";
import type { StepAddress } from "../../contracts/step.ts";
import { addUsage, isCostUnknown, type Usage } from "../../contracts/usage.ts";
import { closeTurn, openTurn } from "../state/activity.ts";
import { findTurn } from "../state/agent-lookup.ts";
import type { AgentState, TurnState } from "../state/agent-state.ts";
import { emptyTrail } from "../state/call-trail.ts";
import type { RunState } from "../state/run-state.ts";
import { startsAgain } from "../state/starts-again.ts";
import type { FoldTable } from "./fold-table.ts";

const MAX_FAILED_TRAILS = 8;

/** Turns that run or are to be started again, how far their sessions have written themselves down, and what ended ones add up to. */
export const turnTable: FoldTable = {
  "turn-started": (state, event) => {
    const agent = state.agents.get(event.agent);
    if (agent === undefined) return;
    const running = agent.turns.get(event.turn);
    if (running !== undefined) closeTurn(state, agent, running);
    if (event.step !== undefined) countStart(state, event.step);
    const before = running ?? agent.interruptedTurns.get(event.turn);
    agent.interruptedTurns.delete(event.turn);
    const trail = before?.trail ?? agent.failedTrails.get(event.key);
    agent.failedTrails.delete(event.key);
    agent.lastTurn = Math.max(agent.lastTurn, event.turn);
    agent.status = "working";
    agent.statusReason = undefined;
    openTurn(state, agent, {
      turn: event.turn,
      attempt: event.attempt,
      session: event.session,
      key: event.key,
      items: event.items,
      step: event.step,
      countedStep: event.step ?? agent.serves,
      rights: undefined,
      terms: event.terms ?? {},
      startedAt: event.at,
      asks: new Set(),
      changes: before?.changes ?? new Map(),
      prompts: 0,
      waits: before?.waits ?? 0,
      waitsSince: before?.waitsSince,
      answered: {},
      trail: trail ?? emptyTrail(),
    });
  },
  "turn-marked": (state, { agent, turn, mark }) => {
    const trail = findTurn(state, agent, turn)?.trail;
    if (trail !== undefined) trail.mark ??= mark;
  },
  "turn-completed": (state, event) => {
    const agent = endTurn(state, event);
    if (agent === undefined) return;
    agent.lastText = event.text;
    agent.isToCompact = false;
    agent.told = agent.told.filter(({ turn }) => turn >= event.turn);
    addToUsage(state, agent, event.usage);
  },
  "turn-failed": (state, event) => {
    const failed = state.agents.get(event.agent)?.turns.get(event.turn);
    const agent = endTurn(state, event);
    if (agent === undefined) return;
    if (failed !== undefined) keepTrail(agent, failed);
    agent.lastText = event.text ?? agent.lastText;
    addToUsage(state, agent, event.usage);
  },
  "turn-interrupted": (state, event) => {
    if (!startsAgain(event.reason)) {
      const ended = closeForGood(state, event);
      if (ended !== undefined) addToUsage(state, ended, event.usage);
      return;
    }
    const agent = state.agents.get(event.agent);
    const turn = agent?.turns.get(event.turn);
    if (agent === undefined || turn === undefined) return;
    stopTurn(state, agent, turn);
    if (event.reason === "rate-limited") {
      turn.waits += 1;
      turn.waitsSince ??= event.at;
    } else turn.trail.isCut = true;
    agent.interruptedTurns.set(turn.turn, turn);
    addToUsage(state, agent, event.usage);
  },
  "model-called": (state, event) => {
    advanceRecord(state, event);
    const turn = findTurn(state, event.agent, event.turn);
    if (turn !== undefined) turn.answered = addUsage(turn.answered, event.usage ?? {});
  },
  "context-compacted": (state, event) => {
    advanceRecord(state, event);
    const agent = state.agents.get(event.agent);
    if (agent !== undefined) agent.isToCompact = false;
  },
  "session-noted": (state, event) => {
    advanceRecord(state, event);
    if (event.rest === undefined) return;
    state.messages.bodies.add(event.rest.ref);
    const agent = state.agents.get(event.agent);
    if (agent !== undefined) agent.restBytes += event.rest.sizeBytes;
  },
};

function advanceRecord({ agents }: RunState, event: SessionRecordEvent): void {
  const agent = agents.get(event.agent);
  const resume = agent?.sessions.get(event.session)?.resume;
  if (agent !== undefined && resume !== undefined) agent.records.set(resume, event.ref);
}

interface EndedTurn {
  readonly agent: string;
  readonly turn: number;
}

/** The turn came to its own end, so its session is not stuck; undefined when it was not running. */
function endTurn(state: RunState, ended: EndedTurn): AgentState | undefined {
  const agent = state.agents.get(ended.agent);
  const session = agent?.turns.get(ended.turn)?.session;
  if (agent !== undefined && session !== undefined) {
    agent.nudges.delete(session);
    agent.handOvers.delete(session);
  }
  return closeForGood(state, ended);
}

/** The turn is over and counts; undefined when it was not running. */
function closeForGood(state: RunState, ended: EndedTurn): AgentState | undefined {
  const agent = state.agents.get(ended.agent);
  const turn = agent?.turns.get(ended.turn) ?? agent?.interruptedTurns.get(ended.turn);
  if (agent === undefined || turn === undefined) return undefined;
  if (agent.turns.has(ended.turn)) stopTurn(state, agent, turn);
  agent.interruptedTurns.delete(ended.turn);
  const path = turn.step?.path ?? "";
  agent.turnsByStep.set(path, (agent.turnsByStep.get(path) ?? 0) + 1);
  agent.turnsEnded += 1;
  state.turnsEnded += 1;
  return agent;
}

/** A session that was lost leaves its prompt to the next one, which has the same key. */
function keepTrail({ failedTrails }: AgentState, { key, trail }: TurnState): void {
  trail.isCut = true;
  failedTrails.set(key, trail);
  const [oldest] = failedTrails.keys();
  if (oldest !== undefined && failedTrails.size > MAX_FAILED_TRAILS) failedTrails.delete(oldest);
}

function stopTurn(state: RunState, agent: AgentState, turn: TurnState): void {
  closeTurn(state, agent, turn);
  if (agent.turns.size === 0 && agent.status !== "exited") agent.status = "idle";
}

function addToUsage(state: RunState, agent: AgentState, usage: Usage = {}): void {
  agent.usage = addUsage(agent.usage, usage);
  state.usage = addUsage(state.usage, usage);
  if (isCostUnknown(usage, agent.untold)) state.unpricedTurns += 1;
}

function countStart({ steps }: RunState, { path, execution }: StepAddress): void {
  const before = steps.starts.get(path);
  const count = before?.execution === execution ? before.count + 1 : 1;
  steps.starts.set(path, { execution, count });
}
