import type { IncomingMessage, ServerResponse } from "node:http";
import { toErrorReport } from "../foundation/errors.ts";
import type { DeskVisitors } from "./guests.ts";
import { judge } from "./judge.ts";
import { readBody } from "./read-body.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { ServedRoute } from "./route-table.ts";

/** Answers a request as far as the policy of its route lets it. Never rejects. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { guests, connections, onRefused }: DeskVisitors,
): Promise<void> {
  const turnAway = (refusal: Refusal) => {
    onRefused(refusal);
    refuse(response, refusal);
  };
  try {
    const judgement = judge(request, request.method ?? "GET", guests);
    if ("refusal" in judgement) {
      turnAway(judgement.refusal);
      return;
    }
    const { guest, route, rest } = judgement;
    const place = guest.enter();
    if ("refusal" in place) {
      turnAway({ ...place.refusal, agent: guest.visitor.agent });
      return;
    }
    const idle = connections.serve(request.socket);
    // One listener: answers that stream have many of their own, and node warns of more than ten.
    response.once("close", () => {
      place.leave();
      idle();
    });
    const reading = await readFor(route, request);
    if ("refusal" in reading) turnAway({ ...reading.refusal, agent: guest.visitor.agent });
    else if (route.method !== "UPGRADE")
      await route.answer({ guest, request, response, body: reading.body, rest });
  } catch (error) {
    fail(response, error);
  }
}

function readFor({ policy }: ServedRoute, request: IncomingMessage): ReturnType<typeof readBody> {
  return policy.body === "json" ? readBody(request) : Promise.resolve({ body: undefined });
}

/** Tells the client of a fault, if it is still there and can be told. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(500, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ error: toErrorReport(error) }));
}
