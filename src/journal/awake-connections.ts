import { type Clock, systemClock, type Timer } from "../foundation/clock.ts";

/** A connection that may be closed for a while. */
export interface WakefulConnection {
  /** Called now and then while many are awake. */
  lookedAt(): void;
  /** Closes it, unless it is in use again. Raises nothing. */
  comeToRest(): void;
}

// What connections hold at the same time stays with the process for long, so beyond so many they are looked at.
const MOST_AWAKE = 16;
const LOOK_EVERY_MS = 500;

// Whoever closes the last connection to a log syncs twice. The runs of a process come to rest in one moment, and what
// else it does must not wait for all of them.
const LEAST_PAUSE_MS = 10;
const PAUSE_FACTOR = 4;

/** The connections of a process to the journals that it owns. */
export class AwakeConnections {
  readonly #clock: Clock;
  readonly #awake = new Set<WakefulConnection>();
  readonly #waiting = new Set<WakefulConnection>();
  #nextLook: Timer | undefined;
  #isTakingTurns = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of a connection that is open from here on. */
  add(connection: WakefulConnection): void {
    this.#awake.add(connection);
    this.#lookLater();
  }

  /** Takes note of a connection that is closed. */
  delete(connection: WakefulConnection): void {
    this.#awake.delete(connection);
    if (this.#isCrowded()) return;
    this.#nextLook?.cancel();
    this.#nextLook = undefined;
  }

  /** Lets one come to rest when this process has time for that: one at a time, for a fifth of its time at most. */
  restInTurn(connection: WakefulConnection): void {
    this.#waiting.add(connection);
    if (this.#isTakingTurns) return;
    this.#isTakingTurns = true;
    this.#clock.startTimer(0, () => this.#takeTurn());
  }

  #isCrowded(): boolean {
    return this.#awake.size > MOST_AWAKE;
  }

  #lookLater(): void {
    if (!this.#isCrowded()) return;
    this.#nextLook ??= this.#clock.startTimer(LOOK_EVERY_MS, () => {
      this.#nextLook = undefined;
      for (const connection of this.#awake) connection.lookedAt();
      this.#lookLater();
    });
  }

  #takeTurn(): void {
    const [next] = this.#waiting;
    this.#isTakingTurns = next !== undefined;
    if (next === undefined) return;
    this.#waiting.delete(next);
    const startMs = this.#clock.monotonic();
    next.comeToRest();
    const tookMs = this.#clock.monotonic() - startMs;
    const pauseMs = Math.max(LEAST_PAUSE_MS, tookMs * PAUSE_FACTOR);
    this.#clock.startTimer(pauseMs, () => this.#takeTurn());
  }
}

/** What the runs of this process share here. */
export const awakeConnections = new AwakeConnections(systemClock);
