import type { StopReason } from "../contracts/backend.ts";
import type { Signal } from "../contracts/signal.ts";
import { kindOfMarker, SIGNAL_FORMS } from "./signal-forms.ts";

/** What a step asks of its agent. */
export interface SignalDemand {
  /** The step's marker, `none` for none, undefined for the default of the backend. */
  readonly expects: string | undefined;
  /** Whether agents of this backend must signal when the step names no marker. */
  readonly demandsSignal: boolean;
  /** Whether checks decide alone whether the step is done (SIG-5); a failure that its agent reports still counts first. */
  readonly isVerified?: boolean;
}

/** How a turn ended. */
export interface CompletedTurn {
  readonly signals: readonly Signal[];
  readonly stopReason: StopReason;
}

/** What a turn means for its step, before any verification. */
export type Completion =
  | { readonly status: "done"; readonly reason: "done-signal"; readonly signal: Signal }
  | { readonly status: "done"; readonly reason: "exit" }
  /** The agent says that it failed or is blocked. */
  | { readonly status: "negative"; readonly signal: Signal }
  /** The turn is over without the marker; ask for it once. */
  | { readonly status: "unsignalled"; readonly marker: string }
  /** The turn was cut short or refused, and nothing says that the task is done. */
  | { readonly status: "stopped"; readonly stopReason: StopReason };

const DEFAULT_MARKER = "DONE";
/** Signals that take nothing back: the last one is no correction of those before. */
const EACH_COUNTS: ReadonlySet<string> = new Set(["deposit", "progress"]);
const FAILURE_KINDS: ReadonlySet<string> = new Set(["blocked", "failed"]);
const COMPLETING_KINDS: ReadonlySet<string> = new Set(["done", "team_done"]);

/** The marker that a step demands, if any. Read it beside the standing signals. */
export function demandedMarker(demand: SignalDemand): string | undefined {
  if (demand.expects === undefined) return demand.demandsSignal ? DEFAULT_MARKER : undefined;
  return demand.expects === "none" ? undefined : demand.expects;
}

/**
 * The signals of one turn that count, failures first: structured ones before text of the same kind, a
 * rejecting vote before an approving one, else the last of a kind. A failure cancels what says `done`.
 */
export function effectiveSignals(signals: readonly Signal[]): readonly Signal[] {
  const byKind = Map.groupBy(signals, (signal) => signal.kind);
  const counting = [...byKind].flatMap(([kind, given]) => effectiveOfKind(kind, given));
  const failures = counting.filter(isFailure);
  const others = counting.filter((signal) => !isFailure(signal));
  return [
    ...failures,
    ...(failures.length === 0 ? others : others.filter((signal) => !isCompleting(signal))),
  ];
}

/** What a turn came to: an explicit failure counts before a completion, that before its mere end. */
export function completionOf(turn: CompletedTurn, demand: SignalDemand): Completion {
  const { stopReason } = turn;
  const marker = demandedMarker(demand);
  const kind = marker === undefined ? undefined : kindOfMarker(marker);
  const signals = effectiveSignals(
    turn.signals.filter((signal) => mayDecide(signal, demand, kind)),
  );
  const failure = signals.find((signal) => isFailure(signal) && signal.kind !== kind);
  if (failure !== undefined) return { status: "negative", signal: failure };
  const signal = signals.find((candidate) => candidate.kind === (kind ?? "done"));
  if (signal !== undefined) return { status: "done", reason: "done-signal", signal };
  if (demand.isVerified === true && stopReason !== "cancelled")
    return { status: "done", reason: "exit" };
  if (stopReason === "refusal" || stopReason === "cancelled")
    return { status: "stopped", stopReason };
  if (marker !== undefined) return { status: "unsignalled", marker };
  if (stopReason !== "end_turn") return { status: "stopped", stopReason };
  return { status: "done", reason: "exit" };
}

/**
 * The output of a completed step: the payload of the signal that completed it, else `rest`, the final
 * text without its signal lines; both trimmed.
 */
export function outputOf(
  rest: string,
  completion: Extract<Completion, { readonly status: "done" }>,
): string {
  if (completion.reason === "exit") return rest.trim();
  const { value, reason } = completion.signal;
  const payload = [value, reason ?? ""].join(" ").trim();
  return payload === "" ? rest.trim() : payload;
}

function effectiveOfKind(kind: string, signals: readonly Signal[]): readonly Signal[] {
  const structured = signals.filter((signal) => signal.by === "tool");
  const candidates = structured.length > 0 ? structured : signals;
  if (EACH_COUNTS.has(kind)) return candidates;
  const rejection = candidates.findLast(isRejection);
  return rejection === undefined ? candidates.slice(-1) : [rejection];
}

// What a program prints is its result, not a statement about its task, unless a marker is asked for.
function mayDecide(signal: Signal, demand: SignalDemand, kind: string | undefined): boolean {
  return demand.demandsSignal || signal.by === "tool" || signal.kind === kind;
}

function isFailure(signal: Signal): boolean {
  return FAILURE_KINDS.has(signal.kind);
}

function isRejection(signal: Signal): boolean {
  return signal.kind === "vote" && signal.value === "reject";
}

function isCompleting(signal: Signal): boolean {
  return COMPLETING_KINDS.has(signal.kind) || !SIGNAL_FORMS.has(signal.kind.toUpperCase());
}
