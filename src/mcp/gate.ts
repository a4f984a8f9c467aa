import { createServer, type Server, type Socket } from "node:net";
import type { ConnectionBound } from "../host/connection-bound.ts";
import { listenPrivately, RUN_SOCKET_PATIENCE_MS, startListening } from "../host/private-socket.ts";
import { reasonOf } from "../host/system/system-error.ts";
import { doorUnusable } from "./errors.ts";

/** A place where connections come in. */
export interface ConnectionGate {
  /** The port, where it is one. */
  readonly port: number | undefined;
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
}

/** Gets connections, paused: nothing of them is read before somebody resumes them. */
export type ConnectionTaker = (socket: Socket) => void;

/** Who comes in by the gates of a run. */
export interface GateVisitors {
  readonly connections: ConnectionBound;
  readonly take: ConnectionTaker;
}

/**
 * Listens on a unix socket that only this user can open. One that a dead or frozen owner of the run left is
 * replaced. Raises MCP_SOCKET_UNUSABLE.
 */
export async function openSocketGate(
  path: string,
  visitors: GateVisitors,
): Promise<ConnectionGate> {
  const { server, close } = createGateServer(visitors);
  const rule = { path, living: "answers", patienceMs: RUN_SOCKET_PATIENCE_MS } as const;
  const place = await listenPrivately(server, rule);
  if (place.status === "refused") {
    const { problem, cause } = place;
    throw doorUnusable({ place: path, problem }, { cause });
  }
  return {
    port: undefined,
    close: () => {
      place.release();
      return close();
    },
  };
}

/** Listens on a port of 127.0.0.1 that the system chooses. Raises MCP_SOCKET_UNUSABLE. */
export async function openPortGate(visitors: GateVisitors): Promise<ConnectionGate> {
  const { server, close } = createGateServer(visitors);
  try {
    await startListening(server, { host: "127.0.0.1", port: 0 });
  } catch (error) {
    throw doorUnusable({ place: "127.0.0.1", problem: reasonOf(error) }, { cause: error });
  }
  const address = server.address();
  return { port: typeof address === "object" ? address?.port : undefined, close };
}

function createGateServer({ connections, take }: GateVisitors): {
  readonly server: Server;
  readonly close: () => Promise<void>;
} {
  // Half open as HTTP has it: who has said all still gets an answer.
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    if (connections.admit(socket)) take(socket);
  });
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of connections.all()) socket.destroySoon();
    await closed;
  };
  return { server, close };
}
