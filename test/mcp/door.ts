import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { ContextAccess, ContextVisitor } from "../../src/contracts/context-access.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createContextServer } from "../../src/mcp/context-server.ts";
import { builtInTools } from "../../src/tools/registry.ts";

/** The ways in, and the revisions that are spoken. */
export const WAYS = ["port", "socket"] as const;
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;
export type Way = (typeof WAYS)[number];
export type Revision = (typeof REVISIONS)[number];

/** A server for agents that a test lets in; it goes with the test. */
export function openDoor(directory = createDirectory()) {
  const socketPath = join(directory, "run", "c.sock");
  const server = createContextServer({ socketPath, version: "1.2.3" });
  onTestFinished(() => server.close());
  const letIn = (agent: string, changes: Partial<ContextVisitor> = {}): Promise<ContextAccess> =>
    server.open({
      run: "run_1",
      instance: "pr-7",
      agent,
      session: `${agent}/main`,
      tools: builtInTools.map(({ name }) => name),
      reach: "http",
      call: async (tool, input) => ({ agent, tool, input }),
      ...changes,
    });
  return { server, socketPath, letIn };
}

/** An empty directory, short enough for sockets; it goes with the test. */
export function createDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-mcp-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A request as a test makes it up. */
export interface MadeUpRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: { readonly [name: string]: string | string[] };
  readonly body?: string;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Sends one request by one of the two ways, with nothing added to it but its length. */
export function send(access: ContextAccess, way: Way, made: MadeUpRequest): Promise<Answer> {
  const { method = "POST", path = "/mcp", headers = {}, body } = made;
  return new Promise((resolve, reject) => {
    const sent = request({ ...whereTo(access, way), method, path, headers: { ...headers } });
    const take = async (response: IncomingMessage) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    };
    sent.on("response", (response) => take(response).catch(reject));
    sent.on("upgrade", (response, stream) => {
      stream.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: "" });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The headers of a request that is let in. */
export function goodHeaders({ token }: ContextAccess): { readonly [name: string]: string } {
  return {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
}

/** The official client, connected; it goes with the test. */
export async function connectClient(
  access: ContextAccess,
  { way, revision }: { readonly way: Way; readonly revision: Revision },
): Promise<Client> {
  const url = new URL(access.url ?? "http://localhost/mcp");
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { Authorization: `Bearer ${access.token}` } },
    ...(way === "socket" ? { fetch: fetchOver(access) } : {}),
  });
  const client = new Client({ name: "test", version: "1" }, clientOptions(revision));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Makes a client speak one revision and no other. */
export function clientOptions(revision: Revision) {
  const mode = revision === "2026-07-28" ? { pin: revision } : ("legacy" as const);
  return { versionNegotiation: { mode } };
}

/** Calls a tool; the text of the answer and whether it is an error. */
export async function callTool(
  client: Client,
  name: string,
  input: { readonly [name: string]: Json } = {},
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const result = await client.callTool({ name, arguments: { ...input } });
  const [content] = result.content;
  const text = content?.type === "text" ? content.text : "";
  return { text, isError: result.isError === true };
}

function whereTo({ url, socketPath }: ContextAccess, way: Way) {
  if (way === "socket") return { socketPath };
  const { hostname, port } = new URL(url ?? "");
  return { hostname, port };
}

/** `fetch` over the unix socket: that of Node has no way to say so. */
function fetchOver(access: ContextAccess) {
  return (_url: URL | string, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { method = "GET", headers, body, signal } = init;
      const sent = request({
        socketPath: access.socketPath,
        path: "/mcp",
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal === null || signal === undefined ? {} : { signal }),
      });
      sent.on("response", (response) => {
        const status = response.statusCode ?? 0;
        const isEmpty = status === 202 || status === 204;
        const stream = isEmpty ? null : Readable.toWeb(response);
        if (isEmpty) response.resume();
        resolve(new Response(stream, { status, headers: toHeaders(response) }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
}

function toHeaders({ headers }: IncomingMessage): Headers {
  const made = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") made.set(name, value);
  }
  return made;
}
