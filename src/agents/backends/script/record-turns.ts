import type { EventOf, JournalEvent } from "../../../contracts/event.ts";
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
}

interface OpenTurn {
  readonly key: string;
  readonly step: string;
  /** Calls of foreign tools, to be completed by what they return. */
  readonly calls: Map<string, { readonly action: ActionSource; readonly index: number }>;
  actions: ActionSource[];
}

interface RecordedTurn {
  readonly step: string;
  readonly turn: TurnSource;
}

interface Recording {
  readonly sources: RecordingSources;
  readonly open: Map<string, OpenTurn>;
  readonly turnsByAgent: Map<string, RecordedTurn[]>;
  /** Agents whose program runs again on playback. */
  readonly runsAgain: Set<string>;
  /** Agents whose questions are their turns. */
  readonly people: Set<string>;
}

/** Backends that need neither keys nor a network and give the same again. */
const PROGRAMS: ReadonlySet<string> = new Set(["command", "function"]);

/**
 * The cassette that plays the turns of a journal again. Agents with `backend: command` or `function` are left
 * out: they run as they did. Turns that were cut off hang.
 */
export function recordTurns(
  events: Iterable<JournalEvent>,
  sources: RecordingSources,
): CassetteSource {
  const recording: Recording = {
    sources,
    open: new Map(),
    turnsByAgent: new Map(),
    runsAgain: new Set(),
    people: new Set(),
  };
  for (const event of events) record(recording, event);
  const agents = [...recording.turnsByAgent].flatMap(([agent, turns]) => toLists(agent, turns));
  return { version: 1, agents: Object.fromEntries(agents), repeat: "fail" };
}

function record(recording: Recording, event: JournalEvent): void {
  switch (event.type) {
    case "agent-spawned":
      if (PROGRAMS.has(event.backend)) recording.runsAgain.add(event.agent);
      if (event.backend === "human") recording.people.add(event.agent);
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
      if (event.reason === "cancelled" || event.reason === "timed-out")
        end(recording, event, { hang: true });
      return;
    case "tool-called":
    case "tool-returned":
      recordTool(recording, event);
      return;
    default:
      recordDeed(recording, event);
  }
}

function begin({ open }: Recording, event: EventOf<"turn-started">): void {
  const { agent, turn, key, step } = event;
  const before = open.get(nameOf(agent, turn));
  // A turn that is started again does all again but what is recognised as done.
  const actions = (before?.actions ?? []).filter(isDoneOnce);
  open.set(nameOf(agent, turn), {
    key,
    step: step?.path ?? "",
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
  const actions = [...withoutCaused(ended.actions), ...(ending.do ?? [])];
  const { do: _, ...rest } = ending;
  const recorded = {
    step: ended.step,
    turn: actions.length === 0 ? rest : { do: actions, ...rest },
  };
  const turns = turnsByAgent.get(agent);
  if (turns === undefined) turnsByAgent.set(agent, [recorded]);
  else turns.push(recorded);
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

function usageActions(usage: EventOf<"turn-completed">["usage"]): ActionSource[] {
  return usage === undefined || Object.keys(usage).length === 0 ? [] : [{ usage: { ...usage } }];
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
    turn.calls.set(event.call, { action, index: turn.actions.length });
    turn.actions.push(action);
    return;
  }
  const called = turn.calls.get(event.call);
  if (called?.action.tool === undefined) return;
  const { result, isError } = event;
  turn.actions[called.index] = { tool: { ...called.action.tool, result, isError } };
}

function recordDeed(recording: Recording, event: JournalEvent): void {
  const turn = turnOf(recording, event);
  if (turn === undefined) return;
  // A person's turn is one question, and its answer is what the turn says.
  if (event.type === "question-asked" && recording.people.has(event.agent)) return;
  const action = toAction(event, recording.sources.contentOf);
  if (action !== undefined) turn.actions.push(action);
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
