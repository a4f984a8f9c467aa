import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { EventData, JournalEvent } from "../../contracts/events/event.ts";
import type { Program } from "../../contracts/ports/program.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { RunDriver } from "../../engine/driver/run-driver.ts";
import { localDispatcher } from "../../engine/embedded/dispatcher.ts";
import { createRunLog } from "../../engine/embedded/run-log.ts";
import { nondeterminism } from "../../engine/errors.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import { isSameJson } from "../../foundation/same-json.ts";
import { createMemoryStore } from "../../journal/memory-store.ts";
import { dryHost } from "../plan/dry-host.ts";
import { createVirtualClock } from "../plan/virtual-clock.ts";
import type { RunPattern } from "../workflow/shapes/pattern-program.ts";

/** What a program is to be replayed against. */
export interface DryReplay {
  readonly run: string;
  readonly program: Program<WorkflowDefinition>;
  readonly definition: WorkflowDefinition;
  readonly runPattern: RunPattern;
  readonly events: readonly JournalEvent[];
  /** What is to stand after these events. */
  readonly next: EventData;
  readonly textOf: (hash: string) => string | undefined;
  /** Whether recorded notes must be made again to the letter, or only such of the same type. */
  readonly notes: "whole" | "type";
  /** Is filled with what the code of each recorded operation would be given, by the id of the operation. */
  readonly given?: Map<string, Json>;
}

/** The first recorded operation or note that does not come from the program any more. */
export interface ReplayMismatch {
  readonly seq: number;
  readonly recorded: string;
  readonly asked: string;
}

/**
 * Replays a program against recorded events in memory, and starts nothing. Resolves with the first operation or note
 * that differs, or undefined when all fit.
 */
export async function dryReplay(replay: DryReplay): Promise<ReplayMismatch | undefined> {
  const { run, events, next, textOf, program, definition, runPattern } = replay;
  const last = events.at(-1) ?? { seq: 0, at: 0 };
  const journal = createMemoryStore().create(run);
  const epoch = take(journal);
  // Under other names, recorded notes do not keep the program from making them again.
  const recorded = events.map((event) =>
    "note" in event ? { ...event, note: "recorded" } : event,
  );
  await journal.append({
    epoch,
    events: [...recorded, { ...next, seq: last.seq + 1, at: last.at }],
  });
  const driver = new RunDriver({
    recorder: {
      log: { ...createRunLog(journal, epoch), blob: textOf },
      mask: undefined,
      stepTotal: 0,
    },
    ownership: { epoch, onLost: () => {}, release: () => {} },
    timers: createVirtualClock(last.at),
    dispatcher: localDispatcher,
    call: { program, definition, host: dryHost, runPattern },
    beginning: { created: undefined, limits: undefined },
    suspendsWhenWaiting: false,
    onGiven: (op, given) => void replay.given?.set(op, givenOf(given)),
    toResult: () => null,
  });
  driver.onLive(() => driver.suspend("interrupted", 0));
  const made: JournalEvent[] = [];
  driver.onAppended((event) => void made.push(event));
  try {
    driver.start();
    await driver.parted;
  } catch (error) {
    const mismatch = toMismatch(error, events);
    // What would have been noted further on is not known.
    const isKnown = (event: JournalEvent) =>
      event.seq < mismatch.seq && made.some((each) => isSameNote(each, event));
    return differentNote({ ...replay, events: events.filter(isKnown) }, made) ?? mismatch;
  }
  return differentNote(replay, made);
}

function isSameNote(one: JournalEvent, other: JournalEvent): boolean {
  return "note" in one && "note" in other && one.note === other.note;
}

/** What cannot be made is told by its error, as the operation would have told it. */
function givenOf(given: () => Json): Json {
  try {
    return given();
  } catch (error) {
    return toJson(toErrorReport(error), "what an operation is given");
  }
}

function take(journal: Journal): number {
  const nobody = { pid: 0, pidStartedAt: "", bootId: "", socketPath: "", command: "", nowMs: 0 };
  const lease = journal.takeLease(nobody, { ttlMs: 0, isGone: () => true });
  if (lease.status === "held") throw new Error("somebody else replays in this memory");
  return lease.epoch;
}

function toMismatch(error: unknown, events: readonly JournalEvent[]): ReplayMismatch {
  if (!(error instanceof TroupeError) || error.code !== nondeterminism.code) throw error;
  const details = isRecord(error.details) ? error.details : {};
  const [op, recorded = "", asked = ""] = [
    details["op"],
    details["recorded"],
    details["asked"],
  ].map(String);
  const scheduled = events.find((event) => event.type === "operation-scheduled" && event.op === op);
  return { seq: scheduled?.seq ?? 0, recorded, asked };
}

function differentNote(
  { events, notes }: DryReplay,
  made: readonly JournalEvent[],
): ReplayMismatch | undefined {
  const again = new Map(
    made.flatMap((event) => ("note" in event ? [[event.note, event] as const] : [])),
  );
  for (const event of events) {
    if (!("note" in event)) continue;
    const other = again.get(event.note);
    if (other?.type === event.type && (notes === "type" || holds(other, event))) continue;
    const start = other?.type === event.type ? startOf(event, events) : event;
    return {
      seq: start.seq,
      recorded: describe(start),
      asked: other === undefined ? "nothing" : describe(start === event ? other : start),
    };
  }
  return undefined;
}

/** Where the step began that a note tells the end of: what it came to follows from what it was given then. */
function startOf(event: JournalEvent, events: readonly JournalEvent[]): JournalEvent {
  if (event.type !== "step-completed" && event.type !== "step-failed") return event;
  const { seq, path, execution } = event;
  const start = events.findLast(
    (each) =>
      each.type === "step-started" &&
      each.seq < seq &&
      each.path === path &&
      each.execution === execution,
  );
  return start ?? event;
}

/**
 * Whether a note says all that a recorded one does; later versions may say more. The hash of what a step is given
 * also covers what it only might have looked at: what it did look at shows in what it asked for.
 */
function holds(made: JournalEvent, recorded: JournalEvent): boolean {
  const values = new Map(Object.entries(made));
  const isFree = (key: string) =>
    key === "seq" || key === "at" || (key === "inputHash" && recorded.type === "step-started");
  return Object.entries(recorded).every(
    ([key, value]) => isFree(key) || isSameJson(toJson(values.get(key), key), toJson(value, key)),
  );
}

function describe(event: JournalEvent): string {
  const place = "path" in event && typeof event.path === "string" ? ` "${event.path}"` : "";
  return `${event.type}${place}`;
}
