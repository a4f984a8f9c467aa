import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../../../foundation/json.ts";
import { EVENT_BOUNDS, readBeginning } from "../../../../host/incoming-body.ts";
import { fetchNamed } from "../provider/ask-server.ts";
import { failCalls } from "./fail-calls.ts";

/** Of the answer to one request. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_EXPLANATION_BYTES = 64 * 1024;
const READABLE = /^\s*(?:application\/json|text\/event-stream)\s*(?:;|$)/i;

/**
 * A server that is reached by its address. A call whose answer is over the bounds of HTTP bodies fails with the reason;
 * the session stays.
 */
export function createHttpTransport(
  url: URL,
  headers: { readonly [name: string]: string },
): Transport {
  let isListening = true;
  const ask = async (input: string | URL, init: RequestInit | undefined): Promise<Response> => {
    const isStream = init?.method === "GET";
    // A stream that was closed for being too large is not opened again: the client would do that for ever.
    if (isStream && !isListening) return new Response(null, { status: 405 });
    const response = await fetchNamed(input, init, {
      setting: "url of the server",
      bounds: { ...EVENT_BOUNDS, maxBytes: isStream ? Number.POSITIVE_INFINITY : MAX_ANSWER_BYTES },
      onOver: (error) => {
        if (isStream) isListening = false;
        failCalls(transport, idsIn(init?.body), error.message);
      },
    });
    const { status, headers: answered } = response;
    if (!response.ok || response.body === null) return response;
    if (READABLE.test(answered.get("content-type") ?? "")) return response;
    // Nothing reads it; the client only names its type.
    await readBeginning(response, MAX_EXPLANATION_BYTES);
    return new Response(null, { status, headers: answered });
  };
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: ask,
  });
  return transport;
}

/** The ids of the requests in a body. */
function idsIn(body: RequestInit["body"]): readonly (string | number)[] {
  if (typeof body !== "string") return [];
  const sent: unknown = JSON.parse(body);
  return (Array.isArray(sent) ? sent : [sent]).flatMap((message) => {
    const id = isRecord(message) ? message["id"] : undefined;
    return typeof id === "string" || typeof id === "number" ? [id] : [];
  });
}
