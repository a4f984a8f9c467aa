import type { Context } from "../../contracts/ports/context.ts";
import type { Subscription } from "../../contracts/selector.ts";
import { poolOrderIn } from "../primitives/pool-generations.ts";

/** What people tell a pool while it goes on, by messages: to take members in, and to come to an end. */
export class PoolOrders {
  readonly #context: Context;
  readonly #messages: Subscription;
  readonly #tasks: string[] = [];
  #halted: string | undefined;

  /** Listens from here on. */
  constructor(context: Context) {
    this.#context = context;
    this.#messages = context.subscribe({ kinds: ["message"], from: ["user"] });
  }

  /** Why it is to come to an end; empty where nobody has said why, undefined while it goes on. */
  get halted(): string | undefined {
    return this.#halted;
  }

  /** Whether members wait to be taken in. */
  get isWaitedFor(): boolean {
    return this.#tasks.length > 0;
  }

  /** The tasks of those that wait to be taken in; they wait no more. */
  take(): readonly string[] {
    return this.#tasks.splice(0);
  }

  /** Calls at once when the pool is to come to an end. What it returns ends that, and first hears what was said until then. */
  follow(onHalt: () => void): () => Promise<void> {
    const scope = this.#context.scope("orders", async (branch) => {
      await this.#hear(branch, {});
      onHalt();
    });
    const over = Promise.allSettled([scope.result]);
    return async () => {
      scope.cancel("the generation is over");
      await over;
      await this.#hear(this.#context, { timeoutMs: 0 });
    };
  }

  /** Hears what is said until the pool is to end, or nothing more was said within a time. */
  async #hear(branch: Context, options: { readonly timeoutMs?: number }): Promise<void> {
    while (this.#halted === undefined) {
      const event = await branch.next(this.#messages, options);
      if (event === undefined) return;
      if (event.type !== "message-posted") continue;
      const order = poolOrderIn(event.text);
      if (order?.kind === "halt") this.#halted = order.reason;
      if (order?.kind !== "inject") continue;
      if (order.task === "" || event.body !== undefined) {
        const what = order.task === "" ? "has no task" : "is too long for a task";
        branch.log("warning", `INJECT ${what}, so nobody is taken in`);
      } else this.#tasks.push(order.task);
    }
  }
}
