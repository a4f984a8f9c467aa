import type { EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import { isCostUnknown, type Usage } from "../../../contracts/usage.ts";
import { fold } from "../../../fold/fold.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../../fold/state/run-state.ts";
import { startsAgain } from "../../../fold/state/starts-again.ts";

/** What one turn used, from one start to the event that ended or interrupted it. */
export interface TurnCost {
  readonly run: string;
  readonly agent: string;
  readonly turn: number;
  /** Path of the step that it served; null without one. */
  readonly step: string | null;
  readonly backend: string;
  /** Null for the backend's own. */
  readonly model: string | null;
  /** When it ended; milliseconds since the epoch. */
  readonly at: number;
  readonly usage: Usage;
  readonly isCostUnknown: boolean;
  /** Whether it was cut off to be started again, and so is the same turn as a later one. */
  readonly isStartedAgain: boolean;
}

/** The turns of a run's events, and the state that these lead to. */
export interface RunTurns {
  readonly state: RunState;
  readonly turns: readonly TurnCost[];
}

/** Reads what the turns of a run used: all that its state sums up, one by one. */
export function readTurns(run: string, events: Iterable<JournalEvent>): RunTurns {
  const state = emptyRunState(run, NO_MESSAGES);
  const turns: TurnCost[] = [];
  for (const event of events) {
    const turn = isTurnEnd(event) ? toTurnCost(state, event) : undefined;
    if (turn !== undefined) turns.push(turn);
    // What came before was used by the run that this one is a fork of.
    if (event.type === "run-forked") turns.length = 0;
    fold(state, event);
  }
  return { state, turns };
}

type TurnEnd = EventOf<"turn-completed"> | EventOf<"turn-failed"> | EventOf<"turn-interrupted">;

function isTurnEnd(event: JournalEvent): event is TurnEnd & JournalEvent {
  return /^turn-(?:completed|failed|interrupted)$/.test(event.type);
}

/** `state` is that before the event; undefined for an end that ends nothing. */
function toTurnCost(
  state: RunState,
  event: TurnEnd & { readonly at: number },
): TurnCost | undefined {
  const agent = state.agents.get(event.agent);
  const running = agent?.turns.get(event.turn);
  const isStartedAgain = event.type === "turn-interrupted" && startsAgain(event.reason);
  const turn = isStartedAgain ? running : (running ?? agent?.interruptedTurns.get(event.turn));
  if (agent === undefined || turn === undefined) return undefined;
  const { usage = {} } = event;
  return {
    run: state.run.id,
    agent: agent.id,
    turn: turn.turn,
    step: turn.step?.path ?? null,
    backend: agent.backend,
    model: turn.terms.model ?? agent.spec.model ?? null,
    at: event.at,
    usage,
    isCostUnknown: isCostUnknown(usage, agent.untold),
    isStartedAgain,
  };
}
