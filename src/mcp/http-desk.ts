import { createServer } from "node:http";
import type { Socket } from "node:net";
import type { DeskVisitors } from "./guests.ts";
import { LINE_PROTOCOL } from "./line-protocol.ts";
import { serveRequest } from "./serve-request.ts";
import { serveUpgrade } from "./serve-upgrade.ts";

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
