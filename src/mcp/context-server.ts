import { createServer, type Server, type Socket } from "node:net";
import type {
  ContextAccess,
  ContextDoor,
  ContextReach,
  ContextVisitor,
  SessionToolCall,
} from "../contracts/context-access.ts";
import type { RefusedRequest } from "../contracts/events/run-events.ts";
import { TroupeError } from "../foundation/errors.ts";
import { boundConnections, type ConnectionBound } from "../host/connection-bound.ts";
import { listenPrivately, RUN_SOCKET_PATIENCE_MS, startListening } from "../host/private-socket.ts";
import { reasonOf } from "../host/system/system-error.ts";
import { doorUnusable } from "./errors.ts";
import { createGuestList } from "./guests.ts";
import type { HttpDesk } from "./http-desk.ts";
import type { Refusal } from "./refusal.ts";

// Owns the two gates of a run, who may come in by them, and all connections.
// C1: nothing listens before somebody is let in, and no code of HTTP or MCP is loaded before somebody comes.
// C2: a token is that of the processes of one session and ends with them; whoever has none gets nothing but a refusal.
// C3: no client ever shares a server, a session or a stream with the client of another session.

export interface ContextServerOptions {
  /** Where the unix socket lies; its directory is made private. */
  readonly socketPath: string;
  /** What the server tells clients of itself. */
  readonly version: string;
  /** Called with every request that is not served, and with calls of tools that lead out of what an agent has. */
  readonly onRefused?: (refused: RefusedRequest) => void;
}

/** Lets the sessions of one run in, until it is closed. */
export interface ContextServer extends ContextDoor {
  /** Ends all sessions and stops listening. Idempotent. */
  close(): Promise<void>;
}

/** A server that does not listen yet. Its `open` raises MCP_SOCKET_UNUSABLE. */
export function createContextServer({
  socketPath,
  version,
  onRefused = () => {},
}: ContextServerOptions): ContextServer {
  const guests = createGuestList(version);
  const told = ({ error, agent }: Pick<Refusal, "error" | "agent">) =>
    onRefused({ door: "tools", code: error.code, ...(agent === undefined ? {} : { agent }) });
  const connections = boundConnections();
  let desk: Promise<HttpDesk> | undefined;
  const take = (socket: Socket) => {
    desk ??= import("./http-desk.ts").then(({ createHttpDesk }) =>
      createHttpDesk({ guests, connections, onRefused: told }),
    );
    desk.then(
      ({ serve }) => serve(socket),
      () => socket.destroy(),
    );
  };
  let socketGate: Promise<ConnectionGate> | undefined;
  let portGate: Promise<ConnectionGate> | undefined;
  let closed: Promise<void> | undefined;
  const listen = async (reach: ContextReach) => {
    if (closed !== undefined)
      throw doorUnusable({ place: socketPath, problem: "the run is ending" });
    socketGate ??= openSocketGate(socketPath, { connections, take });
    await socketGate;
    if (reach === "socket") return undefined;
    portGate ??= openPortGate({ connections, take });
    return (await portGate).port;
  };
  return {
    open: async (visitor): Promise<ContextAccess> => {
      const port = await listen(visitor.reach);
      const { token, guest } = guests.admit({ ...visitor, call: watched(visitor, told) });
      let current = token;
      return {
        token,
        socketPath,
        ...(port === undefined ? {} : { url: `http://127.0.0.1:${port}/mcp` }),
        mention: (mention) => guest.mention(mention),
        renew: () => {
          current = guests.renew(current) ?? current;
          return current;
        },
        close: () => {
          guests.dismiss(current);
          return guest.close();
        },
      };
    },
    close: () => {
      closed ??= (async () => {
        const gates = [socketGate, portGate].filter((gate) => gate !== undefined);
        await Promise.all([...guests.all()].map((guest) => guest.close()));
        await (await desk?.catch(() => undefined))?.close();
        for (const gate of await Promise.allSettled(gates)) {
          if (gate.status === "fulfilled") await gate.value.close();
        }
      })();
      return closed;
    },
  };
}

// A program that tries these looks for more than its agent has.
const TRESPASSES: readonly string[] = ["AGENT_UNKNOWN_TOOL", "HOST_PATH_OUTSIDE"];

function watched(
  { agent, call }: ContextVisitor,
  told: (refusal: Pick<Refusal, "error" | "agent">) => void,
): SessionToolCall {
  return (tool, input) =>
    call(tool, input).catch((error: unknown) => {
      if (error instanceof TroupeError && TRESPASSES.includes(error.code)) told({ error, agent });
      throw error;
    });
}

/** A place where connections come in. */
interface ConnectionGate {
  /** The port, where it is one. */
  readonly port: number | undefined;
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
}

/** Gets connections, paused: nothing of them is read before somebody resumes them. */
type ConnectionTaker = (socket: Socket) => void;

/** Who comes in by the gates of a run. */
interface GateVisitors {
  readonly connections: ConnectionBound;
  readonly take: ConnectionTaker;
}

/**
 * Listens on a unix socket that only this user can open. One that a dead or frozen owner of the run left is
 * replaced. Raises MCP_SOCKET_UNUSABLE.
 */
async function openSocketGate(path: string, visitors: GateVisitors): Promise<ConnectionGate> {
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
async function openPortGate(visitors: GateVisitors): Promise<ConnectionGate> {
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
