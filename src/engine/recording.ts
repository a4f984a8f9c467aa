import type { EventData, EventOf, JournalEvent } from "../contracts/events/event.ts";
import type { RunningTime } from "../fold/state/run-record.ts";
import { canonicalJson, isRecord, type Json } from "../foundation/json.ts";
import { isSameJson } from "../foundation/same-json.ts";
import { nondeterminism } from "./errors.ts";
import { isSameAsEarlier } from "./replay-versions.ts";

/** What the journal says of one operation. */
export interface RecordedOperation {
  readonly op: string;
  readonly kind: string;
  readonly input: Json;
  readonly scheduledAt: number;
  readonly scheduledAtRunningMs: number;
  attempt: number;
  failedAttempts: number;
  /** Times in a row that its owner died without progress in between. */
  ownerDeaths: number;
  isSettled: boolean;
}

/** A turn that has begun and not ended. */
export interface RecordedTurn {
  readonly agent: string;
  readonly turn: number;
  /** Operations whose prompts it took; messages alone have none. */
  ops: readonly string[];
  /** Times in a row that its owner died without progress in between. */
  ownerDeaths: number;
}

/** What an agent does in a turn; each of these is progress. What Troupe does around it is none. */
const PROGRESS: ReadonlySet<EventData["type"]> = new Set([
  "tool-called",
  "tool-returned",
  "file-changed",
  "signal-received",
  "status-set",
  "model-called",
  "context-compacted",
  "session-noted",
  "record-added",
  "permission-requested",
  "question-asked",
  "approval-requested",
  "request-received",
  "collab-began",
  "collab-ended",
]);

/** What reached, or will reach, the program, in journal order (I3): outcomes and cancellations. */
export type Delivery = EventOf<"operation-settled"> | EventOf<"cancellation-requested">;

/** Whether an event is one that programs are told of. */
export function isDelivery(event: JournalEvent): event is Delivery {
  return event.type === "operation-settled" || event.type === "cancellation-requested";
}

/**
 * The operations, outcomes and notes of a journal, as replay consumes them. Programs must ask in the
 * recorded order: a journal is a prefix of one execution, so whoever asks for something new has asked
 * for everything recorded before.
 */
export class Recording {
  readonly deliveries: Delivery[] = [];
  readonly #operations = new Map<string, RecordedOperation>();
  readonly #order: RecordedOperation[] = [];
  readonly #notes = new Set<string>();
  #asked = 0;
  /** Operations that another definition asked for. */
  #migrated = 0;
  #cancelledAtOwnedMs: number | undefined;
  readonly #turns = new Map<string, RecordedTurn>();
  /** Whether the owner before the last one died, as far as the events say. */
  #isAfterDeath = false;
  #wasLetGo = false;

  /** Takes one event of the journal in, with the run's running time and its time with an owner at that point. */
  add(event: JournalEvent, { totalMs, ownedMs }: Pick<RunningTime, "totalMs" | "ownedMs">): void {
    if (event.type === "definition-changed") this.#migrated = this.#order.length;
    if (isDelivery(event)) this.deliveries.push(event);
    if (event.type === "cancellation-requested") this.#cancelledAtOwnedMs ??= ownedMs;
    if (event.type === "operation-scheduled") this.#schedule(event, totalMs);
    else if (event.type === "operation-attempted") this.#attempt(event);
    else if (event.type === "operation-settled") this.#settle(event);
    else if ("note" in event) this.#notes.add(event.note);
    this.#followTurns(event);
  }

  /** Turns that were in progress when the journal ends. */
  get openTurns(): Iterable<RecordedTurn> {
    return this.#turns.values();
  }

  /** The recorded operation that the program asks for now, or undefined if it is new. Raises ENGINE_NONDETERMINISM. */
  take(op: string, kind: string, input: Json): RecordedOperation | undefined {
    const recorded = this.#order[this.#asked];
    if (recorded === undefined) return undefined;
    const isMigrated = this.#asked < this.#migrated;
    const isSame =
      isSameJson(input, recorded.input) ||
      isSameAsEarlier(input, recorded.input) ||
      (isMigrated && isSameTask(kind, input, recorded));
    // An id names the kind.
    if (op !== recorded.op || !isSame) {
      const asked = describe({ op, kind, input });
      throw nondeterminism({ op: recorded.op, recorded: describe(recorded), asked });
    }
    this.#asked += 1;
    return recorded;
  }

  /** How long somebody had owned the run when its cancellation was first asked for, if it was. */
  get cancelledAtOwnedMs(): number | undefined {
    return this.#cancelledAtOwnedMs;
  }

  hasNote(note: string): boolean {
    return this.#notes.has(note);
  }

  /** Raises ENGINE_NONDETERMINISM when the program did not ask for something recorded. */
  assertAllAsked(): void {
    const missing = this.#order[this.#asked];
    if (missing === undefined) return;
    throw nondeterminism({ op: missing.op, recorded: describe(missing), asked: "nothing" });
  }

  #schedule(event: EventOf<"operation-scheduled">, runningMs: number): void {
    const operation: RecordedOperation = {
      op: event.op,
      kind: event.kind,
      input: event.input,
      scheduledAt: event.at,
      scheduledAtRunningMs: runningMs,
      attempt: 1,
      failedAttempts: 0,
      ownerDeaths: 0,
      isSettled: false,
    };
    this.#operations.set(event.op, operation);
    this.#order.push(operation);
  }

  #attempt(event: EventOf<"operation-attempted">): void {
    const operation = this.#operations.get(event.op);
    if (operation === undefined) return;
    operation.attempt = event.attempt;
    if (event.cause === "failed") operation.failedAttempts += 1;
    operation.ownerDeaths = event.cause === "owner-died" ? operation.ownerDeaths + 1 : 0;
  }

  #followTurns(event: JournalEvent): void {
    switch (event.type) {
      case "run-resumed":
        this.#isAfterDeath = !this.#wasLetGo;
        this.#wasLetGo = false;
        return;
      case "run-suspended":
      case "run-ended":
        this.#wasLetGo = true;
        for (const turn of this.#turns.values()) this.#forgetDeaths(turn);
        return;
      case "turn-started": {
        const key = turnKey(event);
        const { ownerDeaths = 0 } = this.#turns.get(key) ?? {};
        const ops = event.items.flatMap((item) => (item.kind === "prompt" ? [item.op] : []));
        this.#turns.set(key, { agent: event.agent, turn: event.turn, ops, ownerDeaths });
        return;
      }
      case "turn-completed":
      case "turn-failed":
        this.#turns.delete(turnKey(event));
        return;
      case "turn-interrupted": {
        const turn = this.#turns.get(turnKey(event));
        if (turn === undefined) return;
        if (event.reason !== "owner-died") this.#forgetDeaths(turn);
        else if (this.#isAfterDeath) turn.ownerDeaths += 1;
        return;
      }
      default: {
        if (!PROGRESS.has(event.type) || !("turn" in event) || !("agent" in event)) return;
        const { agent, turn: number } = event;
        if (agent === undefined || number === undefined) return;
        const turn = this.#turns.get(turnKey({ agent, turn: number }));
        if (turn !== undefined) this.#forgetDeaths(turn);
      }
    }
  }

  #forgetDeaths(turn: RecordedTurn): void {
    turn.ownerDeaths = 0;
    for (const op of turn.ops) {
      const operation = this.#operations.get(op);
      if (operation !== undefined) operation.ownerDeaths = 0;
    }
  }

  #settle(event: EventOf<"operation-settled">): void {
    const operation = this.#operations.get(event.op);
    if (operation !== undefined) operation.isSettled = true;
  }
}

/**
 * Whether a turn has the task of the recorded one. What a definition says around the task, such as which stage of
 * how many it is, may have changed with it.
 */
function isSameTask(kind: string, input: Json, recorded: RecordedOperation): boolean {
  if (kind !== "turn" || !isRecord(input) || !isRecord(recorded.input)) return false;
  const { prompt: _asked, ...asked } = input;
  const { prompt: _given, ...given } = recorded.input;
  return asked["task"] !== undefined && isSameJson(asked, given);
}

function turnKey({ agent, turn }: { readonly agent: string; readonly turn: number }): string {
  return `${turn} ${agent}`;
}

function describe(operation: {
  readonly op: string;
  readonly kind: string;
  readonly input: Json;
}): string {
  const input = canonicalJson(operation.input);
  const shown = input.length > 200 ? `${input.slice(0, 200).toWellFormed()}…` : input;
  return `${operation.kind} "${operation.op}" ${shown}`;
}
