import type { TraitsOf } from "../../../contracts/backend.ts";
import type { EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import { startsAgain } from "../../../fold/state/starts-again.ts";
import { isRecord } from "../../../foundation/json.ts";
import { turnKeyOf } from "../../request-key.ts";
import {
  type ActionSource,
  type CassetteSource,
  type FileContents,
  type TurnSource,
  toAction,
  toInput,
} from "./recorded-action.ts";

// Reads a journal backwards into a script: what each turn did, in order, and how it ended. What a tool of
// Troupe's own caused comes again from calling it, so it is not recorded beside the call.

/** What a recording needs beside the journal. */
export interface RecordingSources {
  /** Whether a tool is Troupe's own; such calls are really made again. */
  isOwnTool(tool: string): boolean;
  readonly contentOf: FileContents;
  readonly traitsOf: TraitsOf;
}

interface OpenTurn {
  readonly key: string;
  readonly step: string;
  readonly session: string;
  /** Calls of foreign tools that have not returned. */
  readonly calls: Map<string, ActionSource>;
  actions: ActionSource[];
}

interface RecordedTurn {
  readonly step: string;
  readonly session: string;
  turn: TurnSource;
}

interface Recording {
  readonly sources: RecordingSources;
  readonly open: Map<string, OpenTurn>;
  readonly turnsByAgent: Map<string, RecordedTurn[]>;
  /** Where agents work that do not work in the directory of the run. */
  readonly places: Map<string, string>;
  /** Directory of the run. */
  cwd: string;
  /** Agents whose program runs again on playback. */
  readonly runsAgain: Set<string>;
  /** Agents whose questions are their turns. */
  readonly people: Set<string>;
}

/**
 * The cassette that plays the turns of a journal again. Agents that are programs or functions are left out: they
 * need neither keys nor a network, and run as they did. Turns that were cut off hang.
 */
export function recordTurns(
  events: Iterable<JournalEvent>,
  sources: RecordingSources,
): CassetteSource {
  const recording: Recording = {
    sources,
    open: new Map(),
    turnsByAgent: new Map(),
    places: new Map(),
    cwd: "",
    runsAgain: new Set(),
    people: new Set(),
  };
  for (const event of events) record(recording, event);
  const agents = [...recording.turnsByAgent].flatMap(([agent, turns]) => toLists(agent, turns));
  return { version: 1, agents: Object.fromEntries(agents), repeat: "fail" };
}

function record(recording: Recording, event: JournalEvent): void {
  switch (event.type) {
    case "run-created":
      recording.cwd = event.cwd;
      return;
    case "agent-spawned":
      if (event.spec.cwd !== undefined) recording.places.set(event.agent, event.spec.cwd);
      recordWorker(recording, event);
      return;
    case "agent-placed":
      recording.places.set(event.agent, event.directory);
      return;
    case "session-ended":
      if (event.reason === "crashed") loseSession(recording, event);
      return;
    case "turn-started":
      begin(recording, event);
      return;
    case "turn-completed":
      end(recording, event, endOfCompleted(event));
      return;
    case "turn-failed":
      end(recording, event, endOfFailed(event));
      return;
    case "turn-interrupted":
      // What its owner left behind is started again under the same number.
      if (!startsAgain(event.reason)) end(recording, event, { hang: true });
      return;
    case "tool-called":
    case "tool-returned":
      recordTool(recording, event);
      return;
    default:
      recordDeed(recording, event);
  }
}

function recordWorker(
  { sources, runsAgain, people }: Recording,
  { agent, backend }: EventOf<"agent-spawned">,
): void {
  const worker = sources.traitsOf(backend)?.worker;
  if (worker === "program") runsAgain.add(agent);
  if (worker === "person") people.add(agent);
}

function begin({ open }: Recording, event: EventOf<"turn-started">): void {
  const { agent, turn, key, step, session } = event;
  const before = open.get(nameOf(agent, turn));
  // A turn that is started again does all again but what is recognised as done.
  const actions = (before?.actions ?? []).filter(isDoneOnce);
  open.set(nameOf(agent, turn), {
    key,
    step: step?.path ?? "",
    session,
    calls: new Map(),
    actions,
  });
}

function isDoneOnce({ send, document, permission, ask }: ActionSource): boolean {
  return [send, document, permission, ask].some((deed) => deed !== undefined);
}

function end(
  { open, turnsByAgent, runsAgain }: Recording,
  { agent, turn }: { readonly agent: string; readonly turn: number },
  ending: TurnSource,
): void {
  const ended = open.get(nameOf(agent, turn));
  open.delete(nameOf(agent, turn));
  if (ended === undefined || runsAgain.has(agent)) return;
  const left = new Set(ended.calls.values());
  const done = ended.actions.map((action) => (left.has(action) ? leftOpen(action) : action));
  const actions = [...withoutCaused(done), ...(ending.do ?? [])];
  const { do: _, ...rest } = ending;
  const recorded = {
    step: ended.step,
    session: ended.session,
    turn: actions.length === 0 ? rest : { do: actions, ...rest },
  };
  const turns = turnsByAgent.get(agent);
  if (turns === undefined) turnsByAgent.set(agent, [recorded]);
  else turns.push(recorded);
}

function leftOpen(action: ActionSource): ActionSource {
  return action.tool === undefined ? action : { tool: { ...action.tool, open: true } };
}

/** The failure of a turn that took its session with it does so again. */
function loseSession(
  { turnsByAgent }: Recording,
  { agent, session }: EventOf<"session-ended">,
): void {
  const last = turnsByAgent.get(agent)?.findLast((each) => each.session === session);
  const fail = last?.turn.fail;
  if (last === undefined || fail === undefined) return;
  last.turn = { ...last.turn, fail: { ...fail, sessionLost: true } };
}

/** Calls of Troupe's own tools cause again what they caused: one deed each, before or after them in the journal. */
function withoutCaused(actions: readonly ActionSource[]): readonly ActionSource[] {
  const caused = new Set<ActionSource>();
  for (const { call } of actions) {
    const deed = actions.find((action) => !caused.has(action) && isCausedBy(action, call));
    if (deed !== undefined) caused.add(deed);
  }
  return actions.filter((action) => !caused.has(action));
}

function isCausedBy(
  { send, document, signal, ask }: ActionSource,
  call: ActionSource["call"],
): boolean {
  const given = isRecord(call?.arguments) ? Object.values(call.arguments) : [];
  const said = send?.text ?? document?.append ?? document?.write ?? signal?.kind ?? ask;
  return said !== undefined && given.includes(said);
}

function endOfCompleted({ text, stopReason, usage }: EventOf<"turn-completed">): TurnSource {
  if (stopReason === "cancelled") return { do: usageActions(usage), hang: true };
  const stop = stopReason === "end_turn" ? {} : { stop: stopReason };
  return { do: usageActions(usage), say: text, ...stop };
}

function endOfFailed({ error, usage }: EventOf<"turn-failed">): TurnSource {
  const spent = { do: usageActions(usage) };
  if (error.code === "BACKEND_CRASHED") return { ...spent, crash: true };
  const { code, message, retryable } = error;
  return { ...spent, fail: { code, message, retryable } };
}

/** What the backend told: a cost that was estimated is estimated again. */
function usageActions({
  estimatedUsd = 0,
  costUsd,
  ...tokens
}: EventOf<"turn-completed">["usage"] = {}): ActionSource[] {
  const isTold = costUsd !== undefined && estimatedUsd === 0;
  const usage = { ...tokens, ...(isTold ? { costUsd } : {}) };
  return Object.keys(usage).length === 0 ? [] : [{ usage }];
}

function recordTool(
  { open, sources }: Recording,
  event: EventOf<"tool-called"> | EventOf<"tool-returned">,
): void {
  const turn = open.get(nameOf(event.agent, event.turn));
  if (turn === undefined) return;
  if (event.type === "tool-called") {
    if (sources.isOwnTool(event.tool)) {
      turn.actions.push({ call: { tool: event.tool, arguments: toInput(event.input) } });
      return;
    }
    const action: ActionSource = { tool: { name: event.tool, input: toInput(event.input) } };
    turn.calls.set(event.call, action);
    turn.actions.push(action);
    return;
  }
  const called = turn.calls.get(event.call);
  if (called?.tool === undefined) return;
  const { result, isError } = event;
  turn.calls.delete(event.call);
  turn.actions[turn.actions.indexOf(called)] = { tool: { ...called.tool, result, isError } };
}

function recordDeed(recording: Recording, event: JournalEvent): void {
  const turn = turnOf(recording, event);
  if (turn === undefined) return;
  // A person's turn is one question, and its answer is what the turn says.
  if (event.type === "question-asked" && recording.people.has(event.agent)) return;
  const action = toAction(fromItsPlace(recording, event), recording.sources.contentOf);
  if (action !== undefined) turn.actions.splice(indexFor(action, turn), 0, action);
}

/** A program asks after it has said what it is about to call; played back, the call and its result are one. */
function indexFor({ permission }: ActionSource, { actions, calls }: OpenTurn): number {
  if (permission === undefined) return actions.length;
  const wanted = JSON.stringify([permission.tool, permission.input]);
  const about = [...calls.values()].find(
    ({ tool }) => JSON.stringify([tool?.name, tool?.input]) === wanted,
  );
  return about === undefined ? actions.length : actions.indexOf(about);
}

/** A changed file is named from where its agent works: on playback that is another directory. */
function fromItsPlace({ places, cwd }: Recording, event: JournalEvent): JournalEvent {
  if (event.type !== "file-changed") return event;
  const place = `${places.get(event.agent) ?? cwd}/`;
  return event.path.startsWith(place) ? { ...event, path: event.path.slice(place.length) } : event;
}

/** The open turn in which an agent did something. */
function turnOf({ open }: Recording, event: JournalEvent): OpenTurn | undefined {
  if ("turn" in event && "agent" in event && event.turn !== undefined)
    return open.get(nameOf(event.agent, event.turn));
  if (event.type !== "message-posted" && event.type !== "document-changed") return undefined;
  const owner = event.key === undefined ? undefined : turnKeyOf(event.key);
  for (const turn of open.values()) if (turn.key === owner) return turn;
  return undefined;
}

/** One list when a single step, or none, had all the turns; else one per step, for they may run side by side. */
function toLists(
  agent: string,
  turns: readonly RecordedTurn[],
): readonly (readonly [string, TurnSource[]])[] {
  const bySteps = Map.groupBy(turns, ({ step }) => step);
  if (bySteps.size === 1) return [[agent, turns.map(({ turn }) => turn)]];
  return [...bySteps].map(([step, ofStep]) => [
    step === "" ? agent : `${agent}/${step}`,
    ofStep.map(({ turn }) => turn),
  ]);
}

function nameOf(agent: string, turn: number): string {
  return `${agent}#${turn}`;
}
