import { createServer, type Socket } from "node:net";
import { type ErrorReport, toErrorReport } from "../foundation/errors.ts";
import { isRecord, type Json } from "../foundation/json.ts";
import { createLineSplitter } from "../foundation/line-splitter.ts";
import { boundConnections } from "../host/connection-bound.ts";
import { listenPrivately, type SocketRule } from "../host/private-socket.ts";
import { controlMessageInvalid, socketUnusable } from "./errors.ts";

/** The listening end of a private socket. */
export interface LineServer {
  /** Stops listening, lets requests that came in get their answer, and ends all connections. Idempotent. */
  close(): Promise<void>;
}

/** What a server makes of the lines that come in. */
export interface LineService<Request extends { readonly id: number }> {
  /** The request in a value that came in. Raises RUN_CONTROL_MESSAGE_INVALID. */
  read(value: unknown): Request;
  /** Carries a request out; resolves with the result once whoever asked may rely on it. */
  take(request: Request): Promise<Json>;
  /** Version of the lines, which every answer carries. */
  readonly version: number;
  /** Longest line; whoever sends a longer one is hung up on. */
  readonly maxLineChars: number;
  /** Called for every line that is no request. */
  readonly onInvalid?: (error: unknown) => void;
  /** How long somebody may be connected and ask nothing. Defaults to 10 s. */
  readonly idleMs?: number;
}

const IDLE_MS = 10_000;

/**
 * Listens on a unix socket that only this user can open: the directory is private before the socket exists.
 * Each line is a request and gets one line as its answer. A socket that a dead process left is replaced, that of
 * a living one never. Raises RUN_SOCKET_UNUSABLE.
 */
export async function startLineServer<Request extends { readonly id: number }>(
  rule: SocketRule,
  service: LineService<Request>,
): Promise<LineServer> {
  const connections = boundConnections();
  const answers = new Set<Promise<void>>();
  const server = createServer((socket) => {
    if (!connections.admit(socket)) return;
    const patience = hangUpWhenIdle(socket, service.idleMs ?? IDLE_MS);
    serve(socket, service.maxLineChars, (line) => {
      patience.begin();
      const leave = connections.serve(socket);
      const answered = answer(socket, line, service).finally(() => {
        patience.end();
        leave();
        answers.delete(answered);
      });
      answers.add(answered);
    });
  });
  const place = await listenPrivately(server, rule);
  if (place.status === "refused") {
    const { problem, cause } = place;
    throw socketUnusable({ path: rule.path, problem }, { cause });
  }
  return {
    close: async () => {
      place.release();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(answers);
      for (const socket of connections.all()) socket.destroySoon();
      await closed;
    },
  };
}

function serve(socket: Socket, maxLineChars: number, onLine: (line: string) => void): void {
  const lines = createLineSplitter(maxLineChars, (line, isPartial) => {
    if (isPartial) socket.destroy();
    else onLine(line);
  });
  socket.on("data", (chunk: Buffer) => lines.push(chunk));
}

/** Hangs up on whoever asks nothing for a while; an answer may take as long as it needs. */
function hangUpWhenIdle(
  socket: Socket,
  idleMs: number,
): { readonly begin: () => void; readonly end: () => void } {
  let pending = 0;
  socket.setTimeout(idleMs, () => {
    if (pending === 0) socket.destroy();
  });
  return {
    begin: () => {
      pending += 1;
      socket.setTimeout(0);
    },
    end: () => {
      pending -= 1;
      if (pending === 0) socket.setTimeout(idleMs);
    },
  };
}

/** Answers one line; every error goes to the client. */
async function answer<Request extends { readonly id: number }>(
  socket: Socket,
  line: string,
  service: LineService<Request>,
): Promise<void> {
  let id = 0;
  let outcome: { readonly result: Json } | { readonly error: ErrorReport };
  try {
    const value = parse(line, service);
    id = idOf(value);
    outcome = { result: await service.take(read(value, service)) };
  } catch (error) {
    outcome = { error: toErrorReport(error) };
  }
  const response = { v: service.version, id, ok: "result" in outcome, ...outcome };
  if (!socket.destroyed) socket.write(`${JSON.stringify(response)}\n`);
}

function parse<Request extends { readonly id: number }>(
  line: string,
  { onInvalid }: LineService<Request>,
): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const error = controlMessageInvalid({ problem: "it is no JSON" }, { cause });
    onInvalid?.(error);
    throw error;
  }
}

/** Whoever asks several things at a time has to know which one was no request. */
function idOf(value: unknown): number {
  return isRecord(value) && typeof value["id"] === "number" ? value["id"] : 0;
}

function read<Request extends { readonly id: number }>(
  value: unknown,
  { read: toRequest, onInvalid }: LineService<Request>,
): Request {
  try {
    return toRequest(value);
  } catch (error) {
    onInvalid?.(error);
    throw error;
  }
}
