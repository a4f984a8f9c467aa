import type { ServerResponse } from "node:http";
import { type TroupeError, toErrorReport } from "../foundation/errors.ts";

/** Why a request is not served, in the words of HTTP and of Troupe. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429;
  readonly error: TroupeError;
  /** The agent whose token the request carried. */
  readonly agent?: string;
}

/** The headers and the body of the answer to a refused request. */
export function toRefusalAnswer({ status, error }: Refusal): {
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
} {
  const challenge = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  return {
    headers: { "Content-Type": "application/json", ...challenge },
    body: JSON.stringify({ error: toErrorReport(error) }),
  };
}

/** Bytes of a refused body that are still read, so that a client that sends all before it reads gets its answer. */
const MAX_FORGOTTEN_BYTES = 16 * 1024 * 1024;

/** Answers a request that is not served. The rest of its body is read and forgotten; a longer one is cut by hanging up. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { headers, body } = toRefusalAnswer(refusal);
  response.writeHead(refusal.status, headers).end(body);
  const { req: request } = response;
  let leftBytes = MAX_FORGOTTEN_BYTES;
  request.on("data", (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) request.destroy();
  });
  request.resume();
}
