import { systemClock } from "../foundation/clock.ts";
import { formatSize } from "../foundation/size.ts";
import { bodyTooLarge } from "./system/errors.ts";

// Owns the bounds of every HTTP body that comes in: answers of models and MCP servers, pages, requests to Troupe's own
// endpoints.
// B1: bytes are counted as they are read, after decompression; what is over a bound is never kept, and its connection is
//     closed.
// B2: a body of events has no more in memory than one event, so each event is bounded too: its bytes, and the JSON values
//     in it, which take many times their size once they are parsed.

/** The limits of one body. */
export interface BodyBounds {
  /** Bytes of the whole body. Infinity for a stream that stays open as long as its session. */
  readonly maxBytes: number;
  /** Bytes of one event. A body that is not a stream of events is one event. */
  readonly maxEventBytes: number;
  /** JSON values of one event. */
  readonly maxEventValues: number;
}

/** Same as what a program may write in one line. */
export const EVENT_BOUNDS = { maxEventBytes: 8 * 1024 * 1024, maxEventValues: 200_000 } as const;

/** Counts one body while somebody reads it. */
export interface BodyCounter {
  /** Counts the next bytes. Raises HOST_BODY_TOO_LARGE. */
  take(chunk: Uint8Array): void;
}

/** The same for a reader that answers the sender itself. */
interface BodyMeter {
  /** Counts the next bytes. Returns the limit that they exceed, such as `4 MiB`; undefined while there is none. */
  take(chunk: Uint8Array): string | undefined;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;

/** A counter of a body that comes from `source`, an address without secrets. */
export function countBody(source: string, bounds: BodyBounds, hasEvents: boolean): BodyCounter {
  const meter = measureBody(bounds, hasEvents);
  return {
    take: (chunk) => {
      const limit = meter.take(chunk);
      if (limit !== undefined) throw bodyTooLarge({ source, limit });
    },
  };
}

/** A meter of a body: of one event, unless it is a stream of them. */
export function measureBody(bounds: BodyBounds, hasEvents: boolean): BodyMeter {
  const { maxBytes, maxEventBytes, maxEventValues } = bounds;
  let [bytes, eventBytes, eventValues, lineBytes] = [0, 0, 0, 0];
  let last = 0;
  let isText = false;
  let isEscaped = false;
  const endLine = (byte: number) => {
    const isBlank = lineBytes === 0 && !(byte === NEWLINE && last === RETURN);
    if (isBlank && hasEvents) [eventBytes, eventValues] = [0, 0];
    lineBytes = 0;
    // A text of JSON ends with its line, so that a stray quotation mark hides nothing that follows.
    isText = false;
    isEscaped = false;
  };
  const read = (byte: number) => {
    lineBytes += 1;
    if (isEscaped) isEscaped = false;
    else if (isText && byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) isText = !isText;
    // Every JSON value but the outermost follows one of these.
    else if (!isText && (byte === COMMA || byte === COLON || byte === BRACKET)) eventValues += 1;
  };
  const where = hasEvents ? " in one event" : "";
  return {
    take: (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return formatSize(maxBytes);
      // Half as fast by an iterator, and this is every byte that comes.
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] ?? 0;
        eventBytes += 1;
        if (byte === NEWLINE || byte === RETURN) endLine(byte);
        else read(byte);
        last = byte;
        if (eventBytes > maxEventBytes) return `${formatSize(maxEventBytes)}${where}`;
        if (eventValues > maxEventValues) return `${maxEventValues} JSON values${where}`;
      }
      return undefined;
    },
  };
}

/** How a response is counted. */
export interface CountedResponse {
  /** The address that it comes from, without secrets. */
  readonly source: string;
  readonly bounds: BodyBounds;
  /** Called once when it is over them. */
  readonly onOver?: ((error: Error) => void) | undefined;
}

/** The response with its body counted: reading it fails with HOST_BODY_TOO_LARGE once it is over its bounds. */
export function boundResponse(
  response: Response,
  { source, bounds, onOver }: CountedResponse,
): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const counter = countBody(source, bounds, mayHaveEvents(headers.get("content-type") ?? ""));
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      try {
        counter.take(chunk);
      } catch (error) {
        if (error instanceof Error) onOver?.(error);
        throw error;
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}

/** How long a server may take to explain a failure. */
const BEGINNING_MS = 10_000;

/**
 * The beginning of a body that only explains a failure: at most so many bytes, and what has come within 10 s. The
 * connection is closed then.
 */
export async function readBeginning(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  const timer = systemClock.startTimer(BEGINNING_MS, leave);
  const decoder = new TextDecoder();
  let [text, left] = ["", maxBytes];
  try {
    while (left > 0) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
    return text;
  } finally {
    timer.cancel();
    leave();
  }
}

/** Some servers name no type, or a wrong one, for a stream of events. */
function mayHaveEvents(contentType: string): boolean {
  return !/^\s*(?:application\/(?:[\w.-]+\+)?json|text\/html)\b/i.test(contentType);
}
