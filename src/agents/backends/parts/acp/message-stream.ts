import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isRecord } from "../../../../foundation/json.ts";

/** The messages of a program that speaks in lines, for a connection of the SDK. */
export interface MessageStream {
  /** Takes a line that the program printed. */
  take(line: string): void;
  /** The program says no more. */
  end(): void;
  /** Both directions; `send` writes a line to the program. */
  connect(send: (line: string) => Promise<void>): Stream;
}

const UPDATE = "session/update";

/**
 * Messages in the order of their lines. Updates go to `onUpdate` right away, so that all of a turn are seen
 * before its reply; only requests, and replies to what was asked, go on to the connection, which prints what
 * it does not expect as it came. Anything else is left to the log.
 */
export function createMessageStream(onUpdate: (params: unknown) => void): MessageStream {
  const asked = new Set<unknown>();
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start: (given) => {
      controller = given;
    },
    cancel: () => {
      controller = undefined;
    },
  });
  const isExpected = (message: AnyMessage) =>
    "method" in message ? "id" in message : asked.delete(message.id);
  return {
    take: (line) => {
      const message = parseMessage(line);
      if (message === undefined) return;
      if ("method" in message && message.method === UPDATE && !("id" in message))
        onUpdate(message.params);
      else if (isExpected(message)) controller?.enqueue(message);
    },
    end: () => {
      controller?.close();
      controller = undefined;
    },
    connect: (send) => ({
      readable,
      writable: new WritableStream<AnyMessage>({
        write: async (message) => {
          if ("method" in message && "id" in message) asked.add(message.id);
          await send(JSON.stringify(message));
        },
      }),
    }),
  };
}

function parseMessage(line: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : undefined;
  } catch {
    // Some programs print other things among their messages.
    return undefined;
  }
}

function isMessage(value: unknown): value is AnyMessage {
  if (!isRecord(value) || value["jsonrpc"] !== "2.0") return false;
  return typeof value["method"] === "string" || "result" in value || "error" in value;
}
