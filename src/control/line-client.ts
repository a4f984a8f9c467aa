import { type LineAnswer, LineConnection, type LinePlace } from "./line-connection.ts";

/** One request to a line server. */
export interface LineSending extends LinePlace {
  /** Plain JSON; `v` and `id` are added. */
  readonly request: { readonly [name: string]: unknown };
  readonly timeoutMs: number;
}

/** Sends one request over a connection of its own. Raises what a connection does. */
export async function sendLine(sending: LineSending): Promise<LineAnswer> {
  const connection = new LineConnection(sending);
  try {
    return await connection.ask(sending.request, sending.timeoutMs);
  } finally {
    connection.close();
  }
}
