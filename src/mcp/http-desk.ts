import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { toErrorReport } from "../foundation/errors.ts";
import { requestInvalid } from "./errors.ts";
import { judge } from "./guard.ts";
import type { DeskVisitors } from "./guests.ts";
import { readBody } from "./read-body.ts";
import { type Refusal, refuse, toRefusalAnswer } from "./refusal.ts";
import type { ServedRoute } from "./route-table.ts";

/** Speaks HTTP on connections that come in elsewhere. */
export interface HttpDesk {
  /** Takes a paused connection. */
  serve(socket: Socket): void;
  close(): Promise<void>;
}

/** How long clients may take. */
export interface DeskPatience {
  /** For the head of a request, from the beginning of its connection. */
  readonly headersMs: number;
  /** For all of it. */
  readonly requestMs: number;
  /** From an answer to the next request on the same connection. */
  readonly idleMs: number;
  /** How often it is looked at. */
  readonly checkMs: number;
}

const PATIENCE: DeskPatience = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 60_000,
  checkMs: 5000,
};

/** A desk for these visitors. */
export function createHttpDesk(
  visitors: DeskVisitors,
  { headersMs, requestMs, idleMs, checkMs }: DeskPatience = PATIENCE,
): HttpDesk {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // Clients that would like to speak HTTP/2 are answered in HTTP/1.1.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade === LINE_PROTOCOL,
  });
  server.on("request", (request, response) => void serveRequest(request, response, visitors));
  server.on("upgrade", (request, stream, head) => {
    stream.unshift(head);
    void serveUpgrade(request, stream, visitors);
  });
  // It does not listen itself, and begins to look at its timeouts only when told that it does.
  server.emit("listening");
  return {
    serve: (socket) => {
      server.emit("connection", socket);
      socket.resume();
    },
    close: async () => {
      server.closeAllConnections();
      // Calls back with an error because it never listened; what it watches is let go all the same.
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers a request as far as the policy of its route lets it. Never rejects. */
async function serveRequest(
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

/** Hands a connection over to the route that speaks lines, as far as its policy lets it. Never rejects. */
async function serveUpgrade(
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

/** What a client asks for in `Upgrade` to speak MCP in lines on the connection, as over standard input and output. */
const LINE_PROTOCOL = "mcp-lines";
