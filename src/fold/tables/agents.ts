import type { ContinuedSession } from "../../contracts/events/agent-events.ts";
import type { EventOf } from "../../contracts/events/event.ts";
import { agentKey, findTurn } from "../state/agent-lookup.ts";
import type { AgentState } from "../state/agent-state.ts";
import { trailCall, trailResult } from "../state/call-trail.ts";
import type { RunState } from "../state/run-state.ts";
import type { FoldTable } from "./fold-table.ts";

const MAX_TOLD = 10;

/** Who takes part: spawned minus exited, with sessions and signals. */
export const agentTable: FoldTable = {
  "agent-spawned": (state, event) => {
    const previous = state.agents.get(event.agent);
    state.agents.set(event.agent, previous === undefined ? spawned(event) : again(previous, event));
    state.agentIds.set(agentKey(event.agent), event.agent);
    if (event.continues !== undefined) goOn(state, event.agent, event.continues);
    if (event.spec.shadow !== undefined) bind(state, event.agent, event.spec.shadow.of);
  },
  "agent-ready": (state, { agent: id, session, resume }) => {
    const agent = state.agents.get(id);
    if (agent === undefined) return;
    if (!agent.sessions.has(session)) agent.sessionsOpened += 1;
    agent.sessions.set(session, { session, isOpen: true, resume });
    if (agent.spec.session === "keep") agent.lastResume = resume;
    if (agent.status === "starting") agent.status = "idle";
    if (agent.place !== undefined) agent.place = { ...agent.place, isUsed: true };
  },
  "agent-status": (state, event) => {
    const agent = state.agents.get(event.agent);
    if (agent === undefined) return;
    agent.status = event.status;
    agent.statusReason = event.reason;
  },
  "agent-placed": (state, { agent: id, directory, worktree, isConfined }) => {
    const agent = state.agents.get(id);
    if (agent !== undefined)
      agent.place = { directory, worktree, isConfined, isUsed: false, end: undefined };
  },
  "place-settled": (state, { agent: id, commit, files }) => {
    const agent = state.agents.get(id);
    if (agent?.place === undefined) return;
    agent.place = { ...agent.place, end: { commit, files } };
  },
  "status-set": (state, event) => {
    const agent = state.agents.get(event.agent);
    if (agent !== undefined) agent.statusText = event.text === "" ? undefined : event.text;
  },
  "agent-mode-set": ({ agents }, { agent: id, mode }) => {
    const agent = agents.get(id);
    if (agent !== undefined) agent.mode = mode;
  },
  "agent-model-set": ({ agents }, { agent: id, model }) => {
    const agent = agents.get(id);
    if (agent !== undefined) agent.model = model;
  },
  "compaction-asked": ({ agents }, { agent: id }) => {
    const agent = agents.get(id);
    if (agent !== undefined) agent.isToCompact = true;
  },
  "session-ended": (state, event) => {
    const agent = state.agents.get(event.agent);
    const session = agent?.sessions.get(event.session);
    if (agent === undefined || session === undefined) return;
    const { sessions, handOvers } = agent;
    if (event.reason === "done") agent.nudges.delete(event.session);
    if (event.handOver === undefined) handOvers.delete(event.session);
    else handOvers.set(event.session, event.handOver);
    // A crashed session may be resumed; any other is over and would only pile up.
    if (event.reason === "crashed") sessions.set(event.session, { ...session, isOpen: false });
    else sessions.delete(event.session);
    // A kept session may be gone on with in another life of its agent.
    const isOver = event.reason !== "crashed" && agent.spec.session !== "keep";
    if (isOver && session.resume !== undefined) agent.records.delete(session.resume);
  },
  "agent-restarted": ({ agents }, { agent: id }) => {
    const agent = agents.get(id);
    if (agent === undefined) return;
    // The next session, in whichever process, goes on with none of these.
    for (const [name, session] of agent.sessions)
      agent.sessions.set(name, { ...session, resume: undefined });
    agent.lastResume = undefined;
    agent.nudges.clear();
    agent.statusText = undefined;
    if (agent.status === "stuck" && agent.turns.size === 0) agent.status = "idle";
  },
  "agent-nudged": ({ agents }, { agent: id, session, rung, observation, at }) => {
    const nudges = agents.get(id)?.nudges;
    nudges?.set(session, [...(nudges.get(session) ?? []), { rung, observation, at }]);
  },
  "author-told": ({ agents }, { agent: id, turn, text }) => {
    const agent = agents.get(id);
    if (agent !== undefined) agent.told = [...agent.told, { turn, text }].slice(-MAX_TOLD);
  },
  "agent-exited": (state, event) => {
    const agent = state.agents.get(event.agent);
    if (agent === undefined) return;
    agent.status = "exited";
    agent.statusReason = event.reason;
    agent.exit = { reason: event.reason, error: event.error, exitedAt: event.at };
  },
  "signal-received": (state, { agent: id, turn, signal, counted, at }) => {
    const agent = state.agents.get(id);
    if (agent === undefined || !counted) return;
    if (signal.kind === "deposit")
      state.deposits.push({ agent: id, turn, value: signal.value, at });
    agent.signals.set(signal.kind, signal);
    if (signal.kind === "done") agent.summary = signal.value;
  },
  "record-added": ({ records }, { agent, record }) => {
    if (agent !== undefined) records.set(agent, [...(records.get(agent) ?? []), record]);
  },
  "tool-called": (state, event) => {
    state.toolCalls += 1;
    const turn = findTurn(state, event.agent, event.turn);
    if (turn !== undefined) trailCall(turn.trail, event);
  },
  "tool-returned": (state, event) => {
    const turn = findTurn(state, event.agent, event.turn);
    if (turn !== undefined) trailResult(turn.trail, event);
  },
  "file-changed": (state, event) => {
    state.changedFiles.set(event.path, { kind: event.kind, agent: event.agent });
    findTurn(state, event.agent, event.turn)?.changes.set(event.path, event.kind);
  },
};

function bind(state: RunState, shadow: string, watched: string): void {
  const known = state.shadows.get(agentKey(watched)) ?? [];
  if (!known.includes(shadow)) state.shadows.set(agentKey(watched), [...known, shadow]);
}

/** The next session of this name goes on with the one before, or is told of it. */
function goOn({ agents }: RunState, id: string, continued: ContinuedSession): void {
  const agent = agents.get(id);
  const { session, resume, handOver, record } = continued;
  if (resume !== undefined && record !== undefined) agent?.records.set(resume, record);
  agent?.sessions.set(session, { session, isOpen: false, resume });
  if (handOver !== undefined) agent?.handOvers.set(session, handOver);
}

function spawned(event: EventOf<"agent-spawned">): AgentState {
  return {
    id: event.agent,
    spec: event.spec,
    backend: event.backend,
    untold: event.untold ?? "nothing",
    spawnedAt: event.at,
    status: "starting",
    statusReason: undefined,
    statusText: undefined,
    mode: undefined,
    model: undefined,
    isToCompact: false,
    sessions: new Map(),
    records: new Map(),
    restBytes: 0,
    told: [],
    nudges: new Map(),
    handOvers: new Map(),
    sessionsOpened: 0,
    lastTurn: 0,
    turns: new Map(),
    interruptedTurns: new Map(),
    failedTrails: new Map(),
    turnsEnded: 0,
    turnsByStep: new Map(),
    usage: {},
    lastText: undefined,
    summary: undefined,
    signals: new Map(),
    exit: undefined,
    serves: undefined,
    ending: undefined,
    lastResume: undefined,
    place: undefined,
    activity: { queuedPrompts: 0, waitingTurns: 0, waitingPrompts: 0 },
  };
}

/** A second life under the same id goes on counting turns, so that their numbers stay unique. */
function again(previous: AgentState, event: EventOf<"agent-spawned">): AgentState {
  return {
    ...previous,
    spec: event.spec,
    backend: event.backend,
    untold: event.untold ?? "nothing",
    spawnedAt: event.at,
    status: "starting",
    statusReason: undefined,
    statusText: undefined,
    mode: undefined,
    model: undefined,
    isToCompact: false,
    exit: undefined,
    ending: undefined,
  };
}
