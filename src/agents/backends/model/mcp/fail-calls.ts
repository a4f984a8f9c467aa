import { ProtocolErrorCode, type Transport } from "@modelcontextprotocol/client";

/** Answers open calls of a server in its place, with the reason why its own answer was not read. */
export function failCalls(
  transport: Transport,
  ids: readonly (string | number)[],
  message: string,
): void {
  const error = { code: ProtocolErrorCode.InternalError, message };
  for (const id of ids) transport.onmessage?.({ jsonrpc: "2.0", id, error });
}
