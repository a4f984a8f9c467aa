import { randomUUID } from "node:crypto";
import {
  WebStandardStreamableHTTPServerTransport as HttpTransport,
  isInitializeRequest,
  type Server,
} from "@modelcontextprotocol/server";

/** Clients of one agent at the same time that keep a session, as revisions up to 2025-11-25 have it. */
const MAX_SESSIONS = 16;

/**
 * The sessions of clients that begin with `initialize`: each has a server of its own. Beyond the limit the one
 * that was silent for longest ends; its client gets 404 and begins another, as the protocol has it.
 */
export class ClientSessions {
  readonly #createServer: () => Server;
  readonly #streams: boolean;
  // In the order of their last request.
  readonly #transports = new Map<string, HttpTransport>();

  /** `streams`: whether calls may take so long that their clients have to hear of them meanwhile. */
  constructor(createServer: () => Server, { streams }: { readonly streams: boolean }) {
    this.#createServer = createServer;
    this.#streams = streams;
  }

  /** Answers one request of such a client. */
  async handle(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, parsedBody);
    const transport = this.#transports.get(id);
    if (transport === undefined) return refusal(404, "Session not found");
    this.#transports.delete(id);
    this.#transports.set(id, transport);
    return transport.handleRequest(request, { parsedBody });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }

  async #begin(request: Request, parsedBody: unknown): Promise<Response> {
    if (!isInitializeRequest(parsedBody))
      return refusal(400, "Bad Request: begin with initialize, then send Mcp-Session-Id");
    const transport: HttpTransport = new HttpTransport({
      sessionIdGenerator: randomUUID,
      // One answer per request, without a stream around it where nothing comes before it.
      enableJsonResponse: !this.#streams,
      onsessioninitialized: (id: string) => this.#keep(id, transport),
    });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#transports.delete(transport.sessionId);
    };
    await this.#createServer().connect(transport);
    return transport.handleRequest(request, { parsedBody });
  }

  async #keep(id: string, transport: HttpTransport): Promise<void> {
    this.#transports.set(id, transport);
    const [oldest] = this.#transports.values();
    if (this.#transports.size > MAX_SESSIONS) await oldest?.close();
  }
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }, { status });
}
