import type { IncomingMessage, ServerResponse } from "node:http";

/** The head of a request as the SDK takes it, without its body; aborts when the client goes away. */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) headers.append(name, item);
    }
  }
  const { method = "GET" } = request;
  return new Request("http://127.0.0.1/mcp", { method, headers, signal: gone.signal });
}
