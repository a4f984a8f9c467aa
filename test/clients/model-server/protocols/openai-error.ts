import type { Json } from "../../../../src/foundation/json.ts";

/**
 * An error as OpenAI's two protocols have it. The type matters: clients try a `server_error` again for
 * ever, even beside a status of 400.
 */
export function toOpenAiError(status: number, message: string): Json {
  return { error: { message, type: typeOf(status), code: codes[status] ?? null, param: null } };
}

const codes: { readonly [status: number]: string } = {
  401: "invalid_api_key",
  429: "rate_limit_exceeded",
};

function typeOf(status: number): string {
  if (status >= 500) return "server_error";
  if (status === 401) return "authentication_error";
  return status === 429 ? "rate_limit_error" : "invalid_request_error";
}
