import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { requestInvalid } from "./errors.ts";
import type { DeskVisitors } from "./guests.ts";
import { judge } from "./judge.ts";
import { LINE_PROTOCOL } from "./line-protocol.ts";
import { type Refusal, toRefusalAnswer } from "./refusal.ts";

/** Hands a connection over to the route that speaks lines, as far as its policy lets it. Never rejects. */
export async function serveUpgrade(
  request: IncomingMessage,
  stream: Duplex,
  { guests, connections, onRefused }: DeskVisitors,
): Promise<void> {
  // HTTP has let go of the connection: what goes wrong on it ends it.
  stream.on("error", () => stream.destroy());
  const turnAway = (refusal: Refusal) => {
    onRefused(refusal);
    decline(stream, refusal);
  };
  try {
    const judgement = judge(request, "UPGRADE", guests);
    if ("refusal" in judgement) return turnAway(judgement.refusal);
    const { guest, route } = judgement;
    if (route.method !== "UPGRADE" || request.headers.upgrade !== LINE_PROTOCOL)
      return turnAway({ ...unknownProtocol(), agent: guest.visitor.agent });
    const place = guest.enter();
    if ("refusal" in place) return turnAway({ ...place.refusal, agent: guest.visitor.agent });
    const idle = connections.serve(request.socket);
    stream.once("close", () => {
      place.leave();
      idle();
    });
    stream.once("end", () => stream.end());
    const head = [statusLine(101), "Connection: Upgrade", `Upgrade: ${LINE_PROTOCOL}`, "", ""];
    stream.write(head.join("\r\n"));
    await route.take({ guest, stream });
  } catch {
    // The session has ended meanwhile.
    stream.destroy();
  }
}

function unknownProtocol(): Refusal {
  const problem = `the only protocol to upgrade to is ${LINE_PROTOCOL}`;
  return { status: 400, error: requestInvalid({ problem }) };
}

function decline(stream: Duplex, refusal: Refusal): void {
  const { headers, body } = toRefusalAnswer(refusal);
  const lines = Object.entries({ ...headers, Connection: "close" }).map((line) => line.join(": "));
  stream.end([statusLine(refusal.status), ...lines, "", body].join("\r\n"));
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`;
}
