import { type Duplex, Transform } from "node:stream";
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  type Tool as ToolDescription,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ContextVisitor } from "../contracts/context-access.ts";
import type { Tool } from "../contracts/tool.ts";
import { toErrorReport } from "../foundation/errors.ts";
import { describeTool } from "../tools/parts/describe-tool.ts";
import { ClientSessions } from "./client-sessions.ts";
import { requestInvalid } from "./errors.ts";
import { MAX_BODY_BYTES } from "./read-body.ts";
import { createRequestIdReader, type RequestIdReader } from "./request-id.ts";
import { createToolServer } from "./tool-server.ts";

/** Where the clients of one session are served, in the current revision of the protocol and the one before. */
export interface McpEndpoint {
  /** Answers one HTTP request whose body is read already. */
  handle(request: Request, parsedBody: unknown): Promise<Response>;
  /** Serves a client that sends lines, until the stream ends. */
  serveLines(stream: Duplex): void;
  /** Ends all clients. Idempotent. */
  close(): Promise<void>;
}

/** Streams on which clients of the current revision wait for notifications. */
const MAX_SUBSCRIPTIONS = 16;

/** The endpoint of one session, with the tools that it is offered. Whoever it is for cannot be told by a request. */
export function createMcpEndpoint(
  visitor: ContextVisitor,
  offered: readonly Tool[],
  version: string,
): McpEndpoint {
  const tools = offered.map(toDescription);
  const createServer = () => createToolServer({ visitor, tools, version });
  const sessions = new ClientSessions(createServer, { streams: visitor.tools.includes("wait") });
  const current = createMcpHandler(createServer, {
    legacy: "reject",
    maxSubscriptions: MAX_SUBSCRIPTIONS,
  });
  const lines = new Set<ReturnType<typeof serveStdio>>();
  return {
    handle: async (request, parsedBody) =>
      (await isLegacyRequest(request, parsedBody))
        ? sessions.handle(request, parsedBody)
        : current.fetch(request, { parsedBody }),
    serveLines: (stream) => {
      const input = boundLines(stream);
      const transport = new StdioServerTransport(input, stream, { maxBufferSize: MAX_BODY_BYTES });
      const served = serveStdio(createServer, { transport });
      lines.add(served);
      stream.once("close", () => lines.delete(served));
    },
    close: async () => {
      const ended = [...lines].map((served) => served.close());
      await Promise.all([sessions.close(), current.close(), ...ended]);
    },
  };
}

/** The SDK would stop reading at a line that is too long, and its client would wait for good. */
function boundLines(stream: Duplex): Transform {
  const lines = createBoundedLines(MAX_BODY_BYTES, (line) => {
    stream.write(`${JSON.stringify(toRefusal(line))}\n`);
  });
  stream.once("close", () => lines.destroy());
  return stream.pipe(lines);
}

function toRefusal({ sizeBytes, id }: LongLine) {
  const problem = `its line is ${sizeBytes} bytes long, over ${MAX_BODY_BYTES}`;
  const { code, message } = toErrorReport(requestInvalid({ problem }));
  const error = {
    code: ProtocolErrorCode.InvalidRequest,
    message: `${code}: ${message}`,
    data: { code },
  };
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error };
}

/** A tool as an MCP client sees it. */
function toDescription(tool: Tool): ToolDescription {
  const { inputSchema, ...described } = describeTool(tool);
  return { ...described, title: tool.title, inputSchema: { ...inputSchema, type: "object" } };
}

/** A line that was left out. */
export interface LongLine {
  readonly sizeBytes: number;
  /** The id of the request in it, if it is one. */
  readonly id: string | number | undefined;
}

/** Lets lines through one by one, each whole; of one over the limit nothing is kept but its id. */
export function createBoundedLines(
  maxBytes: number,
  onTooLong: (line: LongLine) => void,
): Transform {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  let reader: RequestIdReader | undefined;
  const take = (part: Buffer) => {
    sizeBytes += part.length;
    parts.push(part);
    if (reader === undefined && sizeBytes <= maxBytes) return;
    reader ??= createRequestIdReader();
    for (const kept of parts) reader.push(kept);
    parts = [];
  };
  const endLine = (lines: Transform) => {
    if (reader === undefined) lines.push(Buffer.concat(parts));
    else onTooLong({ sizeBytes, id: reader.id() });
    parts = [];
    sizeBytes = 0;
    reader = undefined;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
        take(chunk.subarray(start, end + 1));
        endLine(this);
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
      done();
    },
  });
}
