import type { TurnUpdate } from "../../../contracts/backend.ts";
import type { BoundedText } from "../../../foundation/bounded-text.ts";
import { createBoundedText } from "../../../foundation/bounded-text.ts";
import { systemClock, type Timer } from "../../../foundation/clock.ts";

const MAX_WAITING_CHARS = 256 * 1024;
// More at once than any model says: it comes from a program that prints, and is read in steps.
const BULK_CHARS = 4096;
const BULK_PAUSE_MS = 50;

/** Updates on their way from a turn's work to whoever reads the turn. One reader. */
export interface UpdateQueue {
  /** Adds an update. Texts that wait in a row are joined; of more than 256 Ki characters only the end is kept. */
  push(update: TurnUpdate): void;
  /** No more updates will come; later ones are dropped. */
  end(): void;
  /** The next update; undefined after the end. After a text of more than 4 Ki characters the next one waits 50 ms. */
  next(): Promise<TurnUpdate | undefined>;
}

type Waiting =
  | { readonly type: "joined-text"; readonly joined: BoundedText }
  | Exclude<TurnUpdate, { readonly type: "text-delta" }>;

/** An empty queue. */
export function createUpdateQueue(): UpdateQueue {
  const waiting: Waiting[] = [];
  let spare: BoundedText | undefined;
  let hasEnded = false;
  let pause: Timer | undefined;
  let wake = () => {};
  const textAtEnd = () => {
    const last = waiting.at(-1);
    if (last?.type === "joined-text") return last.joined;
    const joined = spare ?? createBoundedText(MAX_WAITING_CHARS);
    spare = undefined;
    waiting.push({ type: "joined-text", joined });
    return joined;
  };
  const isReady = () =>
    hasEnded || waiting.length > 1 || (waiting.length === 1 && !(pause && isText(waiting[0])));
  const rest = () => {
    pause?.cancel();
    pause = systemClock.startTimer(BULK_PAUSE_MS, () => {
      pause = undefined;
      wake();
    });
  };
  return {
    push: (update) => {
      if (hasEnded) return;
      if (update.type === "text-delta") textAtEnd().append(update.text);
      else waiting.push(update);
      wake();
    },
    end: () => {
      hasEnded = true;
      pause?.cancel();
      wake();
    },
    next: async () => {
      while (!isReady()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const item = waiting.shift();
      if (item?.type !== "joined-text") return item;
      const { text, totalChars } = item.joined;
      item.joined.clear();
      spare = item.joined;
      if (totalChars > BULK_CHARS && !hasEnded) rest();
      return { type: "text-delta", text };
    },
  };
}

function isText(item: Waiting | undefined): boolean {
  return item?.type === "joined-text";
}
