import { MENTION_METHOD } from "./mention-relay.ts";
import type { AdmittedStream } from "./route-table.ts";

/** Serves an MCP client whose messages come and go as lines, as over standard input and output. */
export async function serveLines({ guest, stream }: AdmittedStream): Promise<void> {
  const endpoint = await guest.endpoint();
  // A client that has not said anything yet does not expect anything either.
  stream.once("data", () => {
    guest.mentions.add(stream, (params) => `${JSON.stringify(notification(params))}\n`);
  });
  endpoint.serveLines(stream);
}

function notification(params: { readonly [name: string]: string }) {
  return { jsonrpc: "2.0", method: MENTION_METHOD, params };
}
