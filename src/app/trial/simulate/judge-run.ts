import { isDeepStrictEqual } from "node:util";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { foldAll } from "../../../fold/fold.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import type { PlayedRun } from "../play-trial.ts";
import { eventsOf, turnsGiven } from "../run-evidence.ts";

/** What a run may take at most; undefined members do not bound it. */
export interface SimulatedBounds {
  /** Turns when nothing fails, as its pattern has them. */
  readonly turns: number | undefined;
  readonly timeoutMs: number | undefined;
  /** Steps at the same time. */
  readonly maxConcurrency: number | undefined;
}

/** What ends after its time may need that long to be cleared away, in ms. */
const PATIENCE_MS = 60_000;

/** How often an agent may be asked for one thing: an attempt, a second one, and a reminder for each. */
const ASKED_AGAIN = 4;

/** Everything that must hold of a run whatever its participants do, and does not; in words. */
export function judgeRun(
  run: PlayedRun,
  definition: WorkflowDefinition,
  bounds: SimulatedBounds,
): readonly string[] {
  return [
    ...judgeEnd(run),
    ...judgeTruth(run),
    ...judgeBounds(run, definition, bounds),
    ...judgeJournal(run),
  ];
}

function judgeEnd({ parting, outcome, state, timersLeft }: PlayedRun): readonly string[] {
  const left = timersLeft === 0 ? [] : [`${timersLeft} timers are left`];
  if (parting.status === "suspended") {
    const isAsked = state.inbox.size > 0 || state.askingChildren.size > 0;
    return isAsked || parting.event.reason === "paused"
      ? left
      : [...left, `it was let go and waits for nobody (${parting.event.reason})`];
  }
  // What a limit has stopped can go on with a higher one: nobody in it has left.
  if (parting.event.resumable) return left;
  const open = state.operations.open.size;
  const alive = [...state.agents.values()].filter(({ status }) => status !== "exited");
  const running = [...state.steps.byPath.values()].filter(({ status }) => status === "running");
  return [
    ...left,
    ...(open === 0 ? [] : [`it has ended, and ${open} operations are open`]),
    ...alive.map(({ id, status }) => `it has ended, and ${id} is ${status}`),
    ...(outcome === "completed"
      ? running.map(({ path }) => `it is completed, and ${path} runs`)
      : []),
    ...(parting.event.reason === "" ? ["it has ended without a reason"] : []),
  ];
}

/** Whether what it says of itself follows from what happened. */
function judgeTruth(run: PlayedRun): readonly string[] {
  const { outcome, result, state } = run;
  const untrue: string[] = [];
  if (result !== undefined && result.success !== (outcome === "completed"))
    untrue.push(`its outcome is ${outcome}, and its result says success: ${result.success}`);
  const ended = eventsOf(run, "turn-completed");
  const agents = [...state.agents.values()];
  if (
    outcome === "completed" &&
    agents.length > 0 &&
    eventsOf(run, "turn-started").length > 0 &&
    // Who waits only so long for bids may go on without any.
    eventsOf(run, "turn-interrupted").every(({ reason }) => reason !== "cancelled") &&
    ended.length === 0
  )
    untrue.push("it is completed, and no turn of anybody was");
  for (const { name, completedBy } of result?.agents ?? []) {
    if (completedBy !== "done-signal") continue;
    const hasSignalled =
      ended.some((turn) => turn.agent === name && turn.signals.length > 0) ||
      eventsOf(run, "signal-received").some((event) => event.agent === name && event.counted);
    if (!hasSignalled) untrue.push(`${name} counts as done by its signal, and gave none`);
  }
  for (const step of state.steps.byPath.values()) {
    if (step.status !== "completed" || step.agent === undefined) continue;
    if (step.reason !== "done-signal") continue;
    const { agent } = step;
    if (!ended.some((turn) => turn.agent === agent))
      untrue.push(`step ${step.path} is completed, and no turn of ${agent} was`);
  }
  return untrue;
}

function judgeBounds(
  run: PlayedRun,
  { budget = {} }: WorkflowDefinition,
  { turns, timeoutMs, maxConcurrency = Infinity }: SimulatedBounds,
): readonly string[] {
  const broken: string[] = [];
  const completed = eventsOf(run, "turn-completed").length;
  if (turns !== undefined && completed > turns * ASKED_AGAIN)
    broken.push(`${completed} turns were completed, ${turns} are the most when nothing fails`);
  const given = turnsGiven(run);
  if (budget.turns !== undefined && given > budget.turns)
    broken.push(`${given} turns were given, its budget has ${budget.turns}`);
  const took = run.parting.status === "ended" ? run.parting.event.durationMs : 0;
  if (timeoutMs !== undefined && took > timeoutMs + PATIENCE_MS)
    broken.push(`it took ${formatDuration(took)}, and may take ${formatDuration(timeoutMs)}`);
  const most = mostAtOnce(run);
  if (most > maxConcurrency) broken.push(`${most} steps ran at once, ${maxConcurrency} may`);
  return broken;
}

function mostAtOnce({ events }: PlayedRun): number {
  const running = new Set<string>();
  let most = 0;
  for (const event of events) {
    if (event.type === "turn-started") running.add(`${event.agent} ${event.turn}`);
    if (
      event.type === "turn-completed" ||
      event.type === "turn-failed" ||
      event.type === "turn-interrupted"
    )
      running.delete(`${event.agent} ${event.turn}`);
    most = Math.max(most, running.size);
  }
  return most;
}

/** Whether its journal tells what its last process knew. */
function judgeJournal({ id, events, state }: PlayedRun): readonly string[] {
  // A process keeps the newest messages only.
  const read = knownOf(foldAll(id, events, { mostMessages: state.messages.most }));
  const known = knownOf(state);
  const parts = Object.keys(known).filter((part) => !isDeepStrictEqual(read[part], known[part]));
  return parts.map((part) => `its journal tells other ${part} than its process knew`);
}

/** A state without its indexes, which differ from process to process. */
function knownOf({ messages, ...state }: RunState): Readonly<Record<string, unknown>> {
  const {
    ids: _ids,
    keys: _keys,
    bodies: _bodies,
    recent: _recent,
    recentChars: _chars,
    ...told
  } = messages;
  return { ...state, messages: told };
}
