import type { Writable } from "node:stream";
import type { ContextMention } from "../contracts/context-access.ts";

/** The method of the notification (MCP-7). */
export const MENTION_METHOD = "notifications/mention";

/** The text of a mention is cut here: whoever wants all of it reads the channel. */
const MAX_TEXT_CHARS = 4000;
/** Mentions kept for a client that does not read; older ones are dropped. */
const MAX_WAITING = 64;

/** A JSON-RPC notification as one piece of what a stream carries. */
export type NotificationFrame = (params: { readonly [name: string]: string }) => string;

interface Listener {
  readonly stream: Writable;
  readonly toFrame: NotificationFrame;
  readonly waiting: string[];
}

/** Tells connected clients of mentions; best effort, in bounded memory, beside what their server writes. */
export class MentionRelay {
  readonly #listeners = new Set<Listener>();

  /**
   * A stream that its client keeps open. Whatever else is written to it comes in whole frames, so that a
   * notification may stand between any two.
   */
  add(stream: Writable, toFrame: NotificationFrame): void {
    const listener = { stream, toFrame, waiting: [] };
    this.#listeners.add(listener);
    stream.on("drain", () => flush(listener));
    stream.once("close", () => this.#listeners.delete(listener));
  }

  send(mention: ContextMention): void {
    const { from, target, message, timestamp } = mention;
    const params = { from, target, message: shortened(message), timestamp };
    for (const listener of this.#listeners) {
      listener.waiting.push(listener.toFrame(params));
      if (listener.waiting.length > MAX_WAITING) listener.waiting.shift();
      flush(listener);
    }
  }

  /** Ends the streams. */
  close(): void {
    for (const { stream } of this.#listeners) stream.end();
    this.#listeners.clear();
  }
}

function flush({ stream, waiting }: Listener): void {
  while (!stream.destroyed && !stream.writableEnded && !stream.writableNeedDrain) {
    const frame = waiting.shift();
    if (frame === undefined) return;
    stream.write(frame);
  }
}

function shortened(text: string): string {
  return text.slice(0, MAX_TEXT_CHARS).toWellFormed();
}
