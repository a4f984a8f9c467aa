import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { splice } from "./splice.ts";
import type { TunnelLine } from "./tunnel-line.ts";

/** Takes connections of programs that were told of a proxy. */
export type ProxyDesk = (socket: Socket) => void;

// Longer than the outer end waits: that one says why.
const IDLE_MS = 16 * 60_000;
// RFC 9110, 7.6.1: these are between a client and its proxy.
const HOP_HEADERS: readonly string[] = [
  ...["connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade"],
];

/** A proxy that carries CONNECT and plain requests over the line. Loads nothing of HTTP before the first. */
export function createProxyDesk(line: TunnelLine): ProxyDesk {
  let desk: ProxyDesk | undefined;
  return (socket) => {
    desk ??= createDesk(line);
    desk(socket);
  };
}

/** Carries a connection to one target and back; it ends at once where the target cannot be reached. */
export function carry(socket: Socket, target: string, line: TunnelLine): void {
  socket.on("error", () => socket.destroy());
  line.open(target).then(
    (stream) => splice(socket, stream, IDLE_MS),
    () => socket.destroy(),
  );
}

function createDesk(line: TunnelLine): ProxyDesk {
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer((message, response) => {
    passOn(message, response, line).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(403).end(`${textOf(error)}\n`);
    });
  });
  server.on("connect", (message: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    line.open(message.url ?? "").then(
      (stream) => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        if (head.length > 0) stream.write(head);
        splice(socket, stream, IDLE_MS);
      },
      (error: unknown) => refuse(socket, textOf(error)),
    );
  });
  return (socket) => server.emit("connection", socket);
}

/** Sends a plain request to the server that its absolute address names. */
async function passOn(
  message: IncomingMessage,
  response: ServerResponse,
  line: TunnelLine,
): Promise<void> {
  const { protocol, hostname, port, pathname, search } = new URL(message.url ?? "");
  if (protocol !== "http:") throw new Error("only http:// goes this way; use CONNECT");
  const stream = await line.open(`${hostname}:${port === "" ? 80 : port}`);
  response.on("close", () => stream.destroy());
  const { request } = process.getBuiltinModule("node:http");
  const sent = request({
    createConnection: () => stream,
    method: message.method,
    path: `${pathname}${search}`,
    headers: forwardedHeaders(message),
  });
  message.pipe(sent);
  await new Promise<void>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.on("error", reject).pipe(response);
      resolve();
    });
  });
}

function refuse(socket: Socket, reason: string): void {
  const text = `Troupe: ${reason}\n`;
  const length = `Content-Length: ${Buffer.byteLength(text)}`;
  socket.end(`HTTP/1.1 403 Forbidden\r\n${length}\r\nConnection: close\r\n\r\n${text}`);
}

function forwardedHeaders({ rawHeaders, headers }: IncomingMessage): readonly string[] {
  const named = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  const dropped = new Set([...HOP_HEADERS, ...named]);
  const kept: string[] = ["Connection", "close"];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (!dropped.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
