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

/** Answers a request that is not served. What is left of its body is read and forgotten. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { headers, body } = toRefusalAnswer(refusal);
  response.writeHead(refusal.status, headers).end(body);
  response.req.resume();
}
