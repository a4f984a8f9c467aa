import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import { isRecord } from "../foundation/json.ts";
import { MENTION_METHOD, type NotificationFrame } from "./mention-relay.ts";
import type { AdmittedRequest } from "./route-table.ts";

/** Answers a request of Streamable HTTP. */
export async function answerMcp({
  guest,
  request,
  response,
  body,
}: AdmittedRequest): Promise<void> {
  const endpoint = await guest.endpoint();
  const answer = await endpoint.handle(toWebRequest(request, response), body);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) {
    response.end();
    return;
  }
  if (!isStream(answer)) {
    response.end(await answer.text());
    return;
  }
  // A stream may have nothing to say for long; its client waits for the headers.
  response.flushHeaders();
  const toFrame = frameFor(request.method, body);
  if (toFrame !== undefined) guest.mentions.add(response, toFrame);
  await pour(answer.body, response);
}

function isStream(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** How mentions are told on a stream that a client keeps open for notifications; undefined on any other. */
function frameFor(method: string | undefined, body: unknown): NotificationFrame | undefined {
  if (method === "GET") return (params) => toEvent(params);
  if (!isRecord(body) || body["method"] !== "subscriptions/listen") return undefined;
  // The current revision has every notification name the subscription that it belongs to.
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: body["id"] };
  return (params) => toEvent({ ...params, _meta });
}

function toEvent(params: { readonly [name: string]: unknown }): string {
  const message = { jsonrpc: "2.0", method: MENTION_METHOD, params };
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Writes a stream out. That the client goes away is one way for it to end. */
async function pour(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  await pipeline(Readable.fromWeb(body), response).catch(() => response.destroy());
}

/** The head of a request as the SDK takes it, without its body; aborts when the client goes away. */
function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
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
