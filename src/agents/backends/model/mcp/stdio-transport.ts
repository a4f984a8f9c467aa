import type { Transport } from "@modelcontextprotocol/client";
import {
  type LineProcess,
  type LineProcessOptions,
  startLineProcess,
} from "../../parts/line-process.ts";
import { failCalls } from "./fail-calls.ts";

const TOO_LARGE =
  "the server sent a line of more than 8 Mi characters or 200,000 JSON values, which was not read";
/** In how much of a line its head members are looked for. */
const HEAD_CHARS = 200;
/** A response that begins with its id; other servers write the result first. */
const RESPONSE = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)/;
/** A request or notification of the server. */
const OTHER = /^\s*\{(?:\s*"(?:jsonrpc"\s*:\s*"2\.0"|id"\s*:\s*[^,]{1,100})\s*,)*\s*"method"/;

/**
 * A server that is a program, started and ended like every program of an agent. A line that is too large to read fails
 * the call that it answers, or all open ones if it does not begin with the id of its call; the session stays.
 */
export function createStdioTransport(
  options: Omit<LineProcessOptions, "onLine" | "onLeftOut">,
): Transport {
  let process: LineProcess | undefined;
  const open = new Set<string | number>();
  const leaveOut = (line: string) => {
    const head = line.slice(0, HEAD_CHARS);
    if (OTHER.test(head)) return true;
    const [, id] = RESPONSE.exec(head) ?? [];
    const failed = id === undefined ? [...open] : [Number(id)];
    for (const each of failed) open.delete(each);
    failCalls(transport, failed, TOO_LARGE);
    return true;
  };
  const take = (line: string) => {
    const message = toMessage(line);
    if (message === undefined) return;
    if ("id" in message && !("method" in message) && message.id !== undefined)
      open.delete(message.id);
    transport.onmessage?.(message);
  };
  const transport: Transport = {
    start: async () => {
      const started = await startLineProcess({ ...options, onLine: take, onLeftOut: leaveOut });
      process = started;
      const over = () => transport.onclose?.();
      // Why it ended is in the agent's log; its callers get an error that it is gone.
      started.ended.then(over, over);
    },
    send: async (message) => {
      if ("id" in message && "method" in message) open.add(message.id);
      await process?.send(JSON.stringify(message));
    },
    close: async () => {
      process?.closeStdin();
      await process?.end();
    },
  };
  return transport;
}

type Message = Parameters<NonNullable<Transport["onmessage"]>>[0];

/** Undefined for other things that the program prints. The client checks the rest. */
function toMessage(line: string): Message | undefined {
  try {
    const message: Message = JSON.parse(line);
    return typeof message === "object" && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
