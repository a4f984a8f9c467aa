import type { EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import { isRecord } from "../../../foundation/json.ts";
import { forkOver, forkPointUnknown } from "./errors.ts";

/**
 * The last event that a fork shares with its run: the one with the number given, or the one before the first start
 * of the step given by its id or its path. What is written at once with its cause is not torn from it. Raises RUN_FORK_POINT_UNKNOWN, RUN_FORK_OVER.
 */
export function findForkPoint(run: string, events: readonly JournalEvent[], at: string): number {
  const seq = /^\d+$/.test(at) ? Number(at) : beforeStep(events, at);
  const whole = afterEffects(events, seq);
  const last = events[whole - 1];
  if (last === undefined)
    throw forkPointUnknown({ run, at, lastSeq: events.length, steps: startedSteps(events) });
  if (last.type === "run-ended" && !last.resumable) throw forkOver({ run, seq: whole });
  return whole;
}

/**
 * The seq of the outcome if the event lies between what a spawn or a post has caused and that outcome, which are one
 * transaction: nobody who goes on with a run is prepared for one without the other.
 */
function afterEffects(events: readonly JournalEvent[], seq: number): number {
  const scheduled = new Map<
    string,
    { readonly seq: number; readonly isCaused: (event: JournalEvent) => boolean }
  >();
  for (const event of events.slice(0, seq)) {
    if (event.type === "operation-settled") scheduled.delete(event.op);
    const isCaused = event.type === "operation-scheduled" ? causedBy(event) : undefined;
    if (event.type === "operation-scheduled" && isCaused !== undefined)
      scheduled.set(event.op, { seq: event.seq, isCaused });
  }
  for (const [op, { seq: since, isCaused }] of scheduled) {
    const settled = events.find((event) => event.type === "operation-settled" && event.op === op);
    if (settled === undefined || !events.slice(since, seq).some(isCaused)) continue;
    return afterEffects(events, settled.seq);
  }
  return seq;
}

function causedBy({
  kind,
  input,
}: EventOf<"operation-scheduled">): ((event: JournalEvent) => boolean) | undefined {
  if (kind === "post") return (event) => event.type === "message-posted" && event.from === "system";
  const spec = kind === "spawn" && isRecord(input) && isRecord(input["spec"]) ? input["spec"] : {};
  const id = spec["id"];
  return id === undefined
    ? undefined
    : (event) => event.type === "agent-spawned" && event.agent === id;
}

/** 0 when the step has not started. */
function beforeStep(events: readonly JournalEvent[], at: string): number {
  const isNamed = (event: JournalEvent) =>
    isBegin(event) && (event.step === at || event.path === at);
  return Math.max(0, events.findIndex(isNamed));
}

function startedSteps(events: readonly JournalEvent[]): readonly string[] {
  const paths = events.flatMap((event) => (isBegin(event) ? [event.path] : []));
  return [...new Set(paths)];
}

/** What was taken over from another run has no start: it is done at once. */
function isBegin(event: JournalEvent): event is EventOf<"step-started" | "step-completed"> {
  if (event.type === "step-completed") return event.reusedFrom !== undefined;
  return event.type === "step-started";
}
