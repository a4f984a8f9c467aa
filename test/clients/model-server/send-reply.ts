import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { StreamEvent } from "./protocol.ts";
import type { Reply } from "./reply.ts";

/**
 * Sends a reply as its step says. A hanging one lasts until the client leaves or the signal aborts;
 * then the connection is cut.
 */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  signal: AbortSignal,
): Promise<void> {
  if (reply.step.delayMs !== undefined) await wait(reply.step.delayMs, undefined, { signal });
  const { parts, contentType } = toParts(reply.content);
  const { ending, slowMs } = reply.step;
  response.writeHead(reply.status, { "content-type": contentType, ...reply.headers });
  for (const part of parts.slice(0, sentCount(parts.length, ending))) {
    response.write(part);
    if (slowMs !== undefined) await wait(slowMs, undefined, { signal });
  }
  if (ending === "hang" || ending === "stall") await once(response, "close", { signal });
  if (ending === "cut") {
    // What was written reaches the client before the connection breaks.
    await new Promise((resolve) => response.write("", resolve));
    response.destroy();
  } else response.end();
}

function sentCount(count: number, ending: Reply["step"]["ending"]): number {
  if (ending === "hang") return Math.min(1, count - 1);
  return ending === undefined ? count : Math.floor(count / 2);
}

function toParts(content: Reply["content"]): {
  readonly parts: readonly string[];
  readonly contentType: string;
} {
  if ("body" in content)
    return { parts: halves(JSON.stringify(content.body)), contentType: "application/json" };
  return { parts: content.events.map(toEventText), contentType: "text/event-stream" };
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function toEventText({ event, data }: StreamEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
