import type { StopRequest } from "../contracts/operation.ts";

/** An effect that can be asked to end. */
interface Effect {
  stop(request: StopRequest): void;
}

/** The effects that run now, also those of cancelled operations. No run lets go before they have ended (I7). */
export class RunningEffects {
  readonly #effects = new Set<Effect>();
  #waiters: (() => void)[] = [];

  add(effect: Effect): void {
    this.#effects.add(effect);
  }

  /** The effect has ended. */
  delete(effect: Effect): void {
    this.#effects.delete(effect);
    if (this.#effects.size > 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  /** Asks every effect to end. */
  stop(request: StopRequest): void {
    for (const effect of this.#effects) effect.stop(request);
  }

  /** Resolves when none runs any more. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#effects.size === 0) resolve();
      else this.#waiters.push(resolve);
    });
  }
}
