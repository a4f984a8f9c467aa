import { isRecord, type Json } from "../foundation/json.ts";
import { RUN_SOCKET_PATIENCE_MS } from "../host/private-socket.ts";
import { controlMessageInvalid } from "./errors.ts";
import { type LineServer, startLineServer } from "./line-server.ts";
import {
  CONTROL_VERSION,
  type ControlRequest,
  controlRequest,
  MAX_LINE_CHARS,
  type RefusedCall,
  refusedCall,
} from "./protocol.ts";

/** The owner's end of its control socket. */
export type ControlServer = LineServer;

/** Carries a command out; resolves once what it caused is durable. */
export type CommandTaker = (request: ControlRequest) => Promise<Json>;

/** Where an owner listens, and for which run. */
export interface ControlPlace {
  readonly path: string;
  readonly run: string;
  /** Called for every line that is no command on this run. */
  readonly onInvalid?: (error: unknown) => void;
  /** Called for every call of a program that was refused before it came here. */
  readonly onRefusedCall?: (call: RefusedCall["refused"]) => void;
}

/**
 * Listens for commands on a run; one for another run is refused. Whoever holds the socket and is silent is dead
 * or frozen: the lease says that nobody else owns the run. Raises RUN_SOCKET_UNUSABLE.
 */
export function startControlServer(
  { path, run, onInvalid, onRefusedCall }: ControlPlace,
  take: CommandTaker,
): Promise<ControlServer> {
  return startLineServer(
    { path, living: "answers", patienceMs: RUN_SOCKET_PATIENCE_MS },
    {
      version: CONTROL_VERSION,
      maxLineChars: MAX_LINE_CHARS,
      read: (value) => readRequest(value, run),
      take: async (request) => {
        if ("command" in request) return take(request);
        onRefusedCall?.(request.refused);
        return null;
      },
      ...(onInvalid === undefined ? {} : { onInvalid }),
    },
  );
}

function readRequest(value: unknown, run: string): ControlRequest | RefusedCall {
  const isRefusedCall = isRecord(value) && Object.hasOwn(value, "refused");
  const parsed = (isRefusedCall ? refusedCall : controlRequest).safeParse(value);
  if (parsed.success && parsed.data.run !== run)
    throw controlMessageInvalid({
      problem: `it is for ${parsed.data.run}, and ${run} listens here`,
    });
  if (parsed.success) return parsed.data;
  throw controlMessageInvalid({
    problem: parsed.error.issues[0]?.message ?? "it has another form",
  });
}
