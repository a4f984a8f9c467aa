import type { Signal } from "../contracts/signal.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent, rightsIn } from "../fold/state/agent-lookup.ts";
import { assertRate } from "../messaging/sending-rate.ts";
import { SHADOW_SIGNAL_REFUSED } from "../messaging/shadows/shadow-speech.ts";
import { readStructuredSignal } from "../signals/read-signals.ts";
import { refusedOfRole } from "../signals/role-signals.ts";

/** The turn that gives signals. */
export interface SignallingTurn {
  readonly runtime: RunRuntime;
  readonly agent: string;
  readonly turn: number;
  readonly markers: readonly string[];
  /** Path of the step that it serves. */
  readonly step: string | undefined;
}

/** The structured signals of one turn. */
export class TurnSignals {
  readonly #turn: SignallingTurn;
  readonly #counted: Signal[] = [];
  /** When signals were given, in milliseconds since the epoch: counted or not, each is kept in the journal. */
  readonly #givenAt: number[] = [];

  constructor(turn: SignallingTurn) {
    this.#turn = turn;
  }

  /** Those that count, in order. */
  get counted(): readonly Signal[] {
    return this.#counted;
  }

  /** Journals a signal; why it does not count, or undefined. Raises MESSAGE_RATE_EXCEEDED. */
  give(given: Omit<Signal, "by">): string | undefined {
    const { runtime, agent, turn, markers, step } = this.#turn;
    const nowMs = runtime.timers.now();
    assertRate(agent, this.#givenAt, nowMs);
    this.#givenAt.push(nowMs);
    const { signal, ...reading } = readStructuredSignal(given, markers);
    const speaker = findAgent(runtime.state, agent);
    const rights = speaker === undefined ? {} : rightsIn(speaker, turn);
    const isShadow = speaker?.spec.shadow !== undefined;
    const counting = reading.refused ?? refusedOfRole(signal.kind, rights);
    const refused = isShadow ? SHADOW_SIGNAL_REFUSED : counting;
    if (refused === undefined) this.#counted.push(signal);
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
}
