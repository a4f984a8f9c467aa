import type { Json } from "../foundation/json.ts";
import { controlMessageInvalid } from "./errors.ts";
import { type LineServer, startLineServer } from "./line-server.ts";
import {
  CONTROL_VERSION,
  type ControlRequest,
  controlRequest,
  MAX_LINE_CHARS,
} from "./protocol.ts";

/** The owner's end of its control socket. */
export type ControlServer = LineServer;

/** Carries a command out; resolves once what it caused is durable. */
export type CommandTaker = (request: ControlRequest) => Promise<Json>;

/**
 * Listens for commands on a run. A socket that is there already was left by a dead owner: the lease says that
 * nobody else owns the run. Raises RUN_SOCKET_UNUSABLE.
 */
export function startControlServer(path: string, take: CommandTaker): Promise<ControlServer> {
  return startLineServer(path, {
    version: CONTROL_VERSION,
    maxLineChars: MAX_LINE_CHARS,
    read: readRequest,
    take,
  });
}

function readRequest(value: unknown): ControlRequest {
  const parsed = controlRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw controlMessageInvalid({
    problem: parsed.error.issues[0]?.message ?? "it has another form",
  });
}
