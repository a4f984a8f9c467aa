import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { toErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { createLineSplitter } from "../foundation/line-splitter.ts";
import { controlMessageInvalid, socketUnusable } from "./errors.ts";
import {
  CONTROL_VERSION,
  type ControlRequest,
  type ControlResponse,
  controlRequest,
  MAX_LINE_CHARS,
} from "./protocol.ts";

/** Longest path of a socket: a longer one is cut without a word by the system. */
export const MAX_SOCKET_PATH_BYTES = 100;

/** The owner's end of its control socket. */
export interface ControlServer {
  /** Stops listening, lets commands that came in get their answer, and ends all connections. Idempotent. */
  close(): Promise<void>;
}

/** Carries a command out; resolves once what it caused is durable. */
export type CommandTaker = (request: ControlRequest) => Promise<Json>;

/**
 * Listens for commands on a unix socket that only this user can open: the directory is private before the
 * socket exists. Raises RUN_SOCKET_UNUSABLE.
 */
export async function startControlServer(path: string, take: CommandTaker): Promise<ControlServer> {
  prepareDirectory(path);
  const connections = new Set<Socket>();
  const answers = new Set<Promise<void>>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    serve(socket, (line) => {
      const answered = answer(socket, line, take).finally(() => answers.delete(answered));
      answers.add(answered);
    });
  });
  await listen(server, path);
  chmodSync(path, 0o600);
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(answers);
      for (const socket of connections) socket.destroySoon();
      await closed;
    },
  };
}

function prepareDirectory(path: string): void {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw socketUnusable({
      path,
      problem: `the path is longer than ${MAX_SOCKET_PATH_BYTES} bytes`,
    });
  }
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(directory);
  const isOurs = uid === process.getuid?.() && (mode & 0o077) === 0;
  if (!isOurs) throw socketUnusable({ path, problem: `${directory} is open to others` });
  // The lease says that nobody else owns the run, so a socket that is still there was left by a dead owner.
  rmSync(path, { force: true });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(socketUnusable({ path, problem: error.message }, { cause: error })),
    );
    server.listen(path, () => resolve());
  });
}

function serve(socket: Socket, onLine: (line: string) => void): void {
  const lines = createLineSplitter(MAX_LINE_CHARS, (line, isPartial) => {
    if (isPartial) socket.destroy();
    else onLine(line);
  });
  socket.on("data", (chunk: Buffer) => lines.push(chunk));
  // A client that goes away needs no answer.
  socket.on("error", () => socket.destroy());
}

/** Answers one line; every error goes to the client. */
async function answer(socket: Socket, line: string, take: CommandTaker): Promise<void> {
  let id = 0;
  let response: ControlResponse;
  try {
    const request = parseRequest(line);
    id = request.id;
    response = { v: CONTROL_VERSION, id, ok: true, result: await take(request) };
  } catch (error) {
    response = { v: CONTROL_VERSION, id, ok: false, error: toErrorReport(error) };
  }
  if (!socket.destroyed) socket.write(`${JSON.stringify(response)}\n`);
}

function parseRequest(line: string): ControlRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw controlMessageInvalid({ problem: "it is no JSON" }, { cause: error });
  }
  const parsed = controlRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw controlMessageInvalid({
    problem: parsed.error.issues[0]?.message ?? "it has another form",
  });
}
