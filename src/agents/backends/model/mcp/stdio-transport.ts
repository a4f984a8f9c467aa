import type { Transport } from "@modelcontextprotocol/client";
import {
  type LineProcess,
  type LineProcessOptions,
  startLineProcess,
} from "../../parts/line-process.ts";

/** A server that is a program, started and ended like every program of an agent. */
export function createStdioTransport(options: Omit<LineProcessOptions, "onLine">): Transport {
  let process: LineProcess | undefined;
  const transport: Transport = {
    start: async () => {
      const started = await startLineProcess({
        ...options,
        onLine: (line) => take(transport, line),
      });
      process = started;
      const over = () => transport.onclose?.();
      // Why it ended is in the agent's log; whoever called it is told that it is gone.
      started.ended.then(over, over);
    },
    send: async (message) => {
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

/** What is no JSON is something that the program prints; the client checks all else. */
function take(transport: Transport, line: string): void {
  let message: Message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  transport.onmessage?.(message);
}
