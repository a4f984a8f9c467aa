import type { IncomingMessage } from "node:http";
import { formatSize } from "../foundation/size.ts";
import { type BodyBounds, measureBody } from "../host/incoming-body.ts";
import { requestInvalid } from "./errors.ts";
import type { Refusal } from "./refusal.ts";

/** Largest body of a request: room for a text of a megabyte and its escapes in JSON. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The values are bounded as well: parsed, millions of small ones take many times their size. */
const BOUNDS: BodyBounds = {
  maxBytes: MAX_BODY_BYTES,
  maxEventBytes: MAX_BODY_BYTES,
  maxEventValues: 100_000,
};

/** The body of a request as JSON, or why there is none. */
export type BodyReading = { readonly body: unknown } | { readonly refusal: Refusal };

/** Reads a body; what is beyond the limits is never kept. Rejects when the client goes away. */
export async function readBody(request: IncomingMessage): Promise<BodyReading> {
  if (!isJson(request.headers["content-type"]))
    return refused(415, "its content type is not application/json");
  const reading = await readText(request);
  if ("limit" in reading) return refused(413, `its body has more than ${reading.limit}`);
  try {
    return { body: JSON.parse(reading.text) };
  } catch {
    // The message of the parser quotes a text that nobody has checked.
    return refused(400, "its body is no JSON");
  }
}

function isJson(contentType = ""): boolean {
  return contentType.split(";")[0]?.trim().toLowerCase() === "application/json";
}

/** The body as text, or the limit that it exceeds. */
function readText(
  request: IncomingMessage,
): Promise<{ readonly text: string } | { readonly limit: string }> {
  const declaredBytes = Number(request.headers["content-length"] ?? 0);
  if (declaredBytes > MAX_BODY_BYTES) return Promise.resolve({ limit: formatSize(MAX_BODY_BYTES) });
  const meter = measureBody(BOUNDS, false);
  const chunks: Buffer[] = [];
  let isOver = false;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      if (isOver) return;
      const limit = meter.take(chunk);
      isOver = limit !== undefined;
      if (limit === undefined) chunks.push(chunk);
      else resolve({ limit });
    });
    request.on("end", () => resolve({ text: Buffer.concat(chunks).toString("utf8") }));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the client has gone away")));
  });
}

function refused(status: Refusal["status"], problem: string): BodyReading {
  return { refusal: { status, error: requestInvalid({ problem }) } };
}
