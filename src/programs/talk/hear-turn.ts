import type { StopReason } from "../../contracts/backend.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Signal } from "../../contracts/signal.ts";
import type { PlainReading } from "./plain-answer.ts";

/** What a turn must say. */
export interface Demand {
  /** Kinds of signals of which one has to be given, the one that a reminder asks for first. */
  readonly kinds: readonly [string, ...string[]];
  /** How that one is written, for reminders: `VOTE: <approve or reject> <why>`. */
  readonly form: string;
  /** What an answer without such a signal means of somebody who is told no convention. */
  readonly plain: PlainReading;
  /** Whether a turn is enough without any of them, so that nobody is reminded. Defaults to no. */
  readonly isEnough?: (branch: Context, text: string) => Promise<boolean>;
}

/** The turn as it ended. */
export interface EndedTurn {
  readonly text: string;
  readonly signals: readonly Signal[];
  readonly stopReason: StopReason;
}

/** What a turn said, as far as its pattern wants to know. */
export type Heard =
  /** With the demanded signals, where some are. */
  | { readonly status: "heard"; readonly signals: readonly Signal[] }
  | { readonly status: "negative"; readonly signal: Signal }
  /** It ended without any of the demanded signals. */
  | { readonly status: "silent" }
  | { readonly status: "stopped"; readonly stopReason: StopReason };

/** Reads what a turn said. Whoever is told no convention is taken at its word, and never silent. */
export function hearTurn(
  { text, signals, stopReason }: EndedTurn,
  demand: Demand | undefined,
  isTold: boolean,
): Heard {
  const kinds: readonly string[] = demand?.kinds ?? [];
  const given = signals.filter(({ kind, by }) => isTold || by === "tool" || kinds.includes(kind));
  const negative = given.find(({ kind }) => kind === "failed" || kind === "blocked");
  if (negative !== undefined) return { status: "negative", signal: negative };
  if (demand === undefined || given.some(({ kind }) => kinds.includes(kind)))
    return stopReason === "cancelled"
      ? { status: "stopped", stopReason }
      : { status: "heard", signals: given };
  if (stopReason !== "end_turn") return { status: "stopped", stopReason };
  if (isTold) return { status: "silent" };
  const meant = demand.plain(text);
  return { status: "heard", signals: meant === undefined ? given : [...given, meant] };
}
