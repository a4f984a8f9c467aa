import { chmodSync } from "node:fs";
import { createServer, type ListenOptions, type Server, type Socket } from "node:net";
import { prepareSocketPlace } from "../host/private-socket.ts";
import { doorUnusable } from "./errors.ts";

/** A place where connections come in. */
export interface Gate {
  /** The port, where it is one. */
  readonly port: number | undefined;
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
}

/** Gets connections, paused: nothing of them is read before somebody resumes them. */
export type ConnectionTaker = (socket: Socket) => void;

/** Listens on a unix socket that only this user can open. Raises MCP_SOCKET_UNUSABLE. */
export async function openSocketGate(path: string, take: ConnectionTaker): Promise<Gate> {
  const problem = prepareSocketPlace(path);
  if (problem !== undefined) throw doorUnusable({ place: path, problem });
  const gate = await listen({ path }, take);
  chmodSync(path, 0o600);
  return gate;
}

/** Listens on a port of 127.0.0.1 that the system chooses. Raises MCP_SOCKET_UNUSABLE. */
export function openPortGate(take: ConnectionTaker): Promise<Gate> {
  return listen({ host: "127.0.0.1", port: 0 }, take);
}

async function listen(where: ListenOptions, take: ConnectionTaker): Promise<Gate> {
  const connections = new Set<Socket>();
  // Half open as HTTP has it: who has said all still gets an answer.
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    // A client that goes away needs no answer.
    socket.on("error", () => socket.destroy());
    take(socket);
  });
  await listening(server, where);
  const address = server.address();
  return {
    port: typeof address === "object" ? address?.port : undefined,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of connections) socket.destroySoon();
      await closed;
    },
  };
}

function listening(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const place = where.path ?? `${where.host}`;
      reject(doorUnusable({ place, problem: error.message }, { cause: error }));
    });
    server.listen(where, () => resolve());
  });
}
