import type { Socket } from "node:net";
import type {
  ContextAccess,
  ContextDoor,
  ContextReach,
  ContextVisitor,
  SessionToolCall,
} from "../contracts/context-access.ts";
import type { RefusedRequest } from "../contracts/events/run-events.ts";
import { TroupeError } from "../foundation/errors.ts";
import { boundConnections } from "../host/connection-bound.ts";
import { doorUnusable } from "./errors.ts";
import { type ConnectionGate, openPortGate, openSocketGate } from "./gate.ts";
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
