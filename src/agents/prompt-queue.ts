import { agentGone } from "./errors.ts";
import type { PromptItem } from "./turn-prompt.ts";

/** The prompts that wait for a turn of one session, in the order in which they came. */
export class PromptQueue {
  readonly #agent: string;
  readonly #items: PromptItem[] = [];

  constructor(agent: string) {
    this.#agent = agent;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  add(item: PromptItem): void {
    this.#items.push(item);
  }

  /** Puts a prompt back that no turn has settled: it is the next one again. */
  putBack(item: PromptItem): void {
    this.#items.unshift(item);
  }

  /** The next prompt that somebody still waits for; those that nobody does are settled. */
  next(): PromptItem | undefined {
    for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) {
      if (!item.signal.aborted) return item;
      item.reject(item.signal.reason);
    }
    return undefined;
  }

  /** Settles a prompt that no turn takes any more. */
  refuse(item: PromptItem, reason: string): void {
    const { signal } = item;
    item.reject(signal.aborted ? signal.reason : agentGone({ agent: this.#agent, reason }));
  }

  /** The same for all that wait. */
  refuseAll(reason: string): void {
    for (const item of this.#items.splice(0)) this.refuse(item, reason);
  }
}
