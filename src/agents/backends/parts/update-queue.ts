import type { TurnUpdate } from "../../../contracts/backend.ts";
import type { BoundedText } from "../../../foundation/bounded-text.ts";
import { createBoundedText } from "../../../foundation/bounded-text.ts";

const MAX_WAITING_CHARS = 256 * 1024;

/** Updates on their way from a turn's work to whoever reads the turn. One reader. */
export interface UpdateQueue {
  /** Adds an update. Texts that wait in a row are joined; of more than 256 Ki characters only the end is kept. */
  push(update: TurnUpdate): void;
  /** No more updates will come; later ones are dropped. */
  end(): void;
  /** The next update; undefined after the end. */
  next(): Promise<TurnUpdate | undefined>;
}

type Waiting =
  | { readonly type: "joined-text"; readonly joined: BoundedText }
  | Exclude<TurnUpdate, { readonly type: "text-delta" }>;

/** An empty queue. */
export function createUpdateQueue(): UpdateQueue {
  const waiting: Waiting[] = [];
  let hasEnded = false;
  let wake = () => {};
  return {
    push: (update) => {
      if (hasEnded) return;
      if (update.type === "text-delta") joinedTextAtEnd(waiting).append(update.text);
      else waiting.push(update);
      wake();
    },
    end: () => {
      hasEnded = true;
      wake();
    },
    next: async () => {
      while (waiting.length === 0 && !hasEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const item = waiting.shift();
      return item?.type === "joined-text" ? { type: "text-delta", text: item.joined.text } : item;
    },
  };
}

function joinedTextAtEnd(waiting: Waiting[]): BoundedText {
  const last = waiting.at(-1);
  if (last?.type === "joined-text") return last.joined;
  const joined = createBoundedText(MAX_WAITING_CHARS);
  waiting.push({ type: "joined-text", joined });
  return joined;
}
