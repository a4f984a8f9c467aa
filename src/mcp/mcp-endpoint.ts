import type { Duplex, Transform } from "node:stream";
import { createMcpHandler, isLegacyRequest, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ContextVisitor } from "../contracts/context-access.ts";
import { toErrorReport } from "../foundation/errors.ts";
import { createBoundedLines, type LongLine } from "./bounded-lines.ts";
import { ClientSessions } from "./client-sessions.ts";
import { describeTools } from "./describe-tools.ts";
import { requestInvalid } from "./errors.ts";
import { MAX_BODY_BYTES } from "./read-body.ts";
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

/** The endpoint of one session. Whoever it is for cannot be told by a request. */
export function createMcpEndpoint(visitor: ContextVisitor, version: string): McpEndpoint {
  const tools = describeTools(visitor.tools);
  const createServer = () => createToolServer({ visitor, tools, version });
  const sessions = new ClientSessions(createServer);
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
