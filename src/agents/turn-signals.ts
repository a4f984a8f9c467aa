import type { Signal } from "../contracts/signal.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent, rightsIn } from "../fold/state/agent-lookup.ts";
import { assertRate } from "../messaging/sending-rate.ts";
import { SHADOW_SIGNAL_REFUSED } from "../messaging/shadows/shadow-speech.ts";
import { readStructuredSignal } from "../signals/read-signals.ts";
import { refusedOfRole } from "../signals/role-signals.ts";
import type { DeedLimits } from "./budget/deed-limits.ts";

/** The turn that gives signals. */
export interface SignallingTurn {
  readonly runtime: RunRuntime;
  readonly agent: string;
  readonly turn: number;
  readonly markers: readonly string[];
  /** Path of the step that it serves. */
  readonly step: string | undefined;
  readonly deeds: Pick<DeedLimits, "refusedHandover">;
}

/** Why a signal does not count that a budget of its agent leaves no room for; undefined when it does. */
export function refusedByLimit(
  deeds: SignallingTurn["deeds"],
  { agent, turn, kind }: { readonly agent: string; readonly turn: number; readonly kind: string },
): string | undefined {
  return kind === "handoff" ? deeds.refusedHandover(agent, turn) : undefined;
}

/** The structured signals of one turn. */
export class TurnSignals {
  readonly #turn: SignallingTurn;
  readonly #counted: Signal[] = [];
  /** When signals were given, in milliseconds since the epoch: counted or not, each is kept in the journal. */
  readonly #givenAt: number[] = [];
  /** What the turn has deposited before it was started again, and has not repeated yet. */
  readonly #laidBefore: string[];

  constructor(turn: SignallingTurn) {
    this.#turn = turn;
    const { deposits } = turn.runtime.state;
    const own = deposits.filter((laid) => laid.agent === turn.agent && laid.turn === turn.turn);
    this.#laidBefore = own.map(({ value }) => value);
  }

  /** Those that count, in order. */
  get counted(): readonly Signal[] {
    return this.#counted;
  }

  /** Journals a signal; why it does not count, or undefined. Raises MESSAGE_RATE_EXCEEDED. */
  give(given: Omit<Signal, "by">): string | undefined {
    const { runtime, agent, turn, markers, step, deeds } = this.#turn;
    const nowMs = runtime.timers.now();
    assertRate(agent, this.#givenAt, nowMs);
    this.#givenAt.push(nowMs);
    const { signal, ...reading } = readStructuredSignal(given, markers);
    const speaker = findAgent(runtime.state, agent);
    const rights = speaker === undefined ? {} : rightsIn(speaker, turn);
    const isShadow = speaker?.spec.shadow !== undefined;
    const counting = reading.refused ?? refusedOfRole(signal.kind, rights);
    const allowed = counting ?? refusedByLimit(deeds, { agent, turn, kind: signal.kind });
    const refused = isShadow ? SHADOW_SIGNAL_REFUSED : allowed;
    if (refused === undefined) this.#counted.push(signal);
    if (refused === undefined && this.#isLaidAlready(signal)) return undefined;
    runtime.append({
      type: "signal-received",
      agent,
      turn,
      signal,
      counted: refused === undefined,
      ...(refused === undefined ? {} : { refused }),
      ...(step === undefined ? {} : { step }),
    });
    return refused;
  }

  /** Marks add up: what a turn repeats that was started again, as `RequestKeys` says, is the same one. */
  #isLaidAlready({ kind, value }: Signal): boolean {
    const place = kind === "deposit" ? this.#laidBefore.indexOf(value) : -1;
    if (place >= 0) this.#laidBefore.splice(place, 1);
    return place >= 0;
  }
}
