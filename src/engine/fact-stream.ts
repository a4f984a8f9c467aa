import type { JournalEvent } from "../contracts/events/event.ts";
import type { Selector } from "../contracts/selector.ts";
import { isFact, matchesSelector } from "./selector.ts";

/** Waits for one fact. */
interface Waiter {
  readonly selector: Selector;
  readonly take: (event: JournalEvent) => void;
}

/** The facts of a run in the order of the journal, and who waits for the next ones. */
export class FactStream {
  readonly #facts: JournalEvent[] = [];
  readonly #waiters = new Set<Waiter>();

  /** Takes an event in; facts go to all whose selector matches. */
  add(event: JournalEvent): void {
    if (!isFact(event)) return;
    this.#facts.push(event);
    for (const waiter of [...this.#waiters]) {
      if (!matchesSelector(waiter.selector, event)) continue;
      this.#waiters.delete(waiter);
      waiter.take(event);
    }
  }

  /** The first matching fact with seq > `afterSeq` that is already there. */
  firstAfter(selector: Selector, afterSeq: number): JournalEvent | undefined {
    for (let index = this.#indexAfter(afterSeq); index < this.#facts.length; index += 1) {
      const event = this.#facts[index];
      if (event !== undefined && matchesSelector(selector, event)) return event;
    }
    return undefined;
  }

  /** Calls `take` with the next matching fact; the result ends the wait. */
  wait(selector: Selector, take: (event: JournalEvent) => void): () => void {
    const waiter = { selector, take };
    this.#waiters.add(waiter);
    return () => void this.#waiters.delete(waiter);
  }

  /** The fact at a seq that an outcome names. */
  at(seq: number): JournalEvent | undefined {
    const event = this.#facts[this.#indexAfter(seq - 1)];
    return event?.seq === seq ? event : undefined;
  }

  #indexAfter(seq: number): number {
    let low = 0;
    let high = this.#facts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#facts[middle]?.seq ?? Infinity) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
