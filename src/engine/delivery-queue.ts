import type { Delivery } from "./recording.ts";

/**
 * Hands outcomes to the program one at a time, each from its own immediate, because Node drains the
 * microtask queue between two immediates (I3).
 */
export class DeliveryQueue {
  readonly #deliver: (delivery: Delivery) => void;
  readonly #deliverNext: () => void;
  #waiting: Delivery[] = [];
  #next = 0;
  #isStopped = false;

  constructor(deliver: (delivery: Delivery) => void) {
    this.#deliver = deliver;
    // One function for all immediates: most of the cost of a delivery would be the closure.
    this.#deliverNext = () => this.#handOver();
  }

  /** Whether outcomes wait for the program. */
  get isBusy(): boolean {
    return this.#next < this.#waiting.length;
  }

  push(delivery: Delivery): void {
    if (this.#isStopped) return;
    this.#waiting.push(delivery);
    setImmediate(this.#deliverNext);
  }

  /** Delivers nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
    this.#next = 0;
  }

  #handOver(): void {
    const delivery = this.#waiting[this.#next];
    if (delivery === undefined) return;
    this.#next += 1;
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    this.#deliver(delivery);
  }
}
