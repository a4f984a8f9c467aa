import type { ConversationBounds } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Subscription } from "../../contracts/selector.ts";
import { actorOf, advance, CONVERSATION_KINDS, SILENCE } from "../kickoff/conversation.ts";

/** Whose conversation is bounded, and how. */
export interface BoundedTalk {
  readonly members: readonly string[];
  readonly bounds: ConversationBounds;
}

/** Keeps turns that a pattern gives itself within the bounds that are written for it (PAT-bounds). */
export class BoundWatch {
  readonly #context: Context;
  readonly #facts: Subscription;
  readonly #members: ReadonlySet<string>;
  readonly #bounds: ConversationBounds;
  #conversation = SILENCE;

  /** Counts from here on. */
  constructor(context: Context, { members, bounds }: BoundedTalk) {
    this.#context = context;
    this.#facts = context.subscribe({ kinds: CONVERSATION_KINDS });
    this.#members = new Set(members);
    this.#bounds = bounds;
  }

  /** The bound that is broken, in words. */
  get broken(): string | undefined {
    return this.#conversation.broken;
  }

  /** Calls at once when a bound breaks. What it returns ends that, and first takes in what has happened until then. */
  follow(onBroken: () => void): () => Promise<void> {
    const scope = this.#context.scope("bounds", async (branch) => {
      await this.#hear(branch, {});
      onBroken();
    });
    const over = Promise.allSettled([scope.result]);
    return async () => {
      scope.cancel("the turns are over");
      await over;
      await this.#hear(this.#context, { timeoutMs: 0 });
    };
  }

  /** Takes in what happens until a bound is broken, or nothing more has happened within a time. */
  async #hear(branch: Context, options: { readonly timeoutMs?: number }): Promise<void> {
    while (this.broken === undefined) {
      const event = await branch.next(this.#facts, options);
      if (event === undefined) return;
      const actor = event.type === "document-changed" ? event.by : actorOf(event);
      if (actor === "user" || this.#members.has(actor ?? ""))
        this.#conversation = advance(this.#conversation, event, this.#bounds);
    }
  }
}
