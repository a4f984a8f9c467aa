import { parseTurnInput } from "../../agents/turn-prompt.ts";
import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { Outcome } from "../../contracts/run.ts";
import type { WorkflowResult } from "../../contracts/workflow-result.ts";
import type { RunParting } from "../../engine/run-exit.ts";
import type { RunState } from "../../fold/state/run-state.ts";

/** A run that has ended or was let go, as tests look at it. */
export interface RunEvidence {
  readonly id: string;
  readonly outcome: Outcome | "suspended";
  readonly parting: RunParting;
  /** Absent when the run was let go, or has no pattern. */
  readonly result: WorkflowResult | undefined;
  readonly state: RunState;
  /** Its events, oldest first. */
  readonly events: readonly JournalEvent[];
  /** Texts of the files that it left, by path, where its directory is gone. Absent: they lie in the directory of the run. */
  readonly files?: ReadonlyMap<string, string>;
}

/** All events of one type. */
export function eventsOf<Type extends JournalEvent["type"]>(
  { events }: Pick<RunEvidence, "events">,
  type: Type,
): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** All that an agent said: the texts of its turns and its messages, in order. */
export function saidBy(run: Pick<RunEvidence, "events">, agent: string): readonly string[] {
  return run.events.flatMap((event) => {
    if (event.type === "turn-completed" && event.agent === agent) return [event.text];
    if (event.type === "turn-failed" && event.agent === agent && event.text !== undefined)
      return [event.text];
    return event.type === "message-posted" && event.from === agent ? [event.text] : [];
  });
}

/** All that an agent was told: prompts of the program and messages, without the conventions around them. */
export function toldTo(run: Pick<RunEvidence, "events">, agent: string): readonly string[] {
  const posted = new Map(eventsOf(run, "message-posted").map(({ id, text }) => [id, text]));
  const prompts = new Map(
    eventsOf(run, "operation-scheduled").flatMap(({ op, kind, input }) =>
      kind === "turn" ? [[op, parseTurnInput(input).prompt] as const] : [],
    ),
  );
  return eventsOf(run, "turn-started")
    .filter((event) => event.agent === agent)
    .flatMap(({ items }) =>
      items.map((item) =>
        item.kind === "prompt" ? (prompts.get(item.op) ?? "") : (posted.get(item.id) ?? ""),
      ),
    );
}

/** Kinds of the signals of an agent that counted, in order. */
export function signalsOf(run: Pick<RunEvidence, "events">, agent: string): readonly string[] {
  return eventsOf(run, "signal-received")
    .filter((event) => event.agent === agent && event.counted)
    .map(({ signal }) => signal.kind);
}

/** Turns that an agent was given, or all were; one that was started again counts once. */
export function turnsGiven(run: Pick<RunEvidence, "events">, agent?: string): number {
  const turns = eventsOf(run, "turn-started")
    .filter((event) => agent === undefined || event.agent === agent)
    .map((event) => `${event.agent} ${event.turn}`);
  return new Set(turns).size;
}

/** What people were asked for, in order. */
export function askedOf({ events }: Pick<RunEvidence, "events">): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "approval-requested":
        return [event.message];
      case "question-asked":
        return [event.text];
      case "permission-requested":
        return [`${event.tool} ${JSON.stringify(event.input)}`];
      default:
        return [];
    }
  });
}

/** Codes with which steps and turns failed. */
export function errorCodesOf({ events }: Pick<RunEvidence, "events">): readonly string[] {
  return events.flatMap((event) =>
    event.type === "turn-failed" || event.type === "step-failed" ? [event.error.code] : [],
  );
}
