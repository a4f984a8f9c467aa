import type { JournalEvent } from "../../../contracts/events/event.ts";

/** The durable events of a run for any number of readers, each from the first one on. */
export class EventFeed implements AsyncIterable<JournalEvent> {
  readonly #events: JournalEvent[] = [];
  #waiting: (() => void)[] = [];
  #isOver = false;

  /** Adds events; they reach every reader. */
  push(events: readonly JournalEvent[]): void {
    for (const event of events) this.#events.push(event);
    this.#wake();
  }

  /** No more will come. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<JournalEvent> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length && !this.#isOver) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      const event = this.#events[next];
      if (event === undefined) return;
      yield event;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
