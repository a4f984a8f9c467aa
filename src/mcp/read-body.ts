import type { IncomingMessage } from "node:http";
import { hasMoreValues } from "../foundation/json-size.ts";
import { requestInvalid } from "./errors.ts";
import type { Refusal } from "./refusal.ts";

/** Largest body of a request: room for a text of a megabyte and its escapes in JSON. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Most values in it: what is read of millions of small ones takes many times their size. */
const MAX_BODY_VALUES = 100_000;

/** The body of a request as JSON, or why there is none. */
export type BodyReading = { readonly body: unknown } | { readonly refusal: Refusal };

/** Reads a body; what is beyond the limit is never kept. Rejects when the client goes away. */
export async function readBody(request: IncomingMessage): Promise<BodyReading> {
  if (!isJson(request.headers["content-type"]))
    return refused(415, "its content type is not application/json");
  const text = await readText(request);
  if (text === undefined) return refused(413, `its body is over ${MAX_BODY_BYTES} bytes`);
  if (hasMoreValues(text, MAX_BODY_VALUES))
    return refused(413, `its body has more than ${MAX_BODY_VALUES} values`);
  try {
    return { body: JSON.parse(text) };
  } catch {
    // What the parser says quotes a text that nobody vouches for.
    return refused(400, "its body is no JSON");
  }
}

function isJson(contentType = ""): boolean {
  return contentType.split(";")[0]?.trim().toLowerCase() === "application/json";
}

/** The body as text; undefined if it is too large. */
function readText(request: IncomingMessage): Promise<string | undefined> {
  const declaredBytes = Number(request.headers["content-length"] ?? 0);
  if (declaredBytes > MAX_BODY_BYTES) return Promise.resolve(undefined);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(undefined);
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the client has gone away")));
  });
}

function refused(status: Refusal["status"], problem: string): BodyReading {
  return { refusal: { status, error: requestInvalid({ problem }) } };
}
