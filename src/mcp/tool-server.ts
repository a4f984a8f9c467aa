import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool as ToolDescription,
} from "@modelcontextprotocol/server";
import type { ContextVisitor } from "../contracts/context-access.ts";
import { toErrorReport } from "../foundation/errors.ts";
import { toJson } from "../foundation/json.ts";

/** How clients know the server (MCP-7). */
const SERVER_NAME = "workflow-context";

/** What a tool server serves. */
export interface ToolServerOptions {
  readonly visitor: ContextVisitor;
  readonly tools: readonly ToolDescription[];
  readonly version: string;
}

/**
 * An MCP server for one client of one session. It is never shared: the answers of a server go to whom it is
 * connected to.
 */
export function createToolServer({ visitor, tools, version }: ToolServerOptions): Server {
  const server = new Server(
    { name: SERVER_NAME, title: "Troupe", version },
    // Clients of the current revision get notifications only on a stream that asks for changes of the list.
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...tools] }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
    withProgress(mcpReq, () => callTool(visitor, params.name, params.arguments ?? {})),
  );
  return server;
}

/** How often a client that asks for it is told that a call goes on (COL-15). */
const PROGRESS_MS = 10_000;

/** A call tells its client that it goes on, so that neither that nor anything between the two gives up. */
async function withProgress<Result>(
  { _meta, notify }: ServerContext["mcpReq"],
  call: () => Promise<Result>,
): Promise<Result> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return call();
  let progress = 0;
  const timer = setInterval(() => {
    progress += PROGRESS_MS / 1000;
    const params = { progressToken, progress, message: "goes on" };
    // A client that has gone away hears nothing, and the call is none the worse for it.
    notify({ method: "notifications/progress", params }).catch(() => {});
  }, PROGRESS_MS);
  try {
    return await call();
  } finally {
    clearInterval(timer);
  }
}

/** Calls a tool; what it raises is an answer that the model can read and act on. */
async function callTool(
  visitor: ContextVisitor,
  name: string,
  input: { readonly [name: string]: unknown },
): Promise<CallToolResult> {
  try {
    const result = await visitor.call(name, toJson(input, `the input of ${name}`));
    return toResult(typeof result === "string" ? result : JSON.stringify(result));
  } catch (error) {
    const { code, message, hint } = toErrorReport(error);
    const text = [`${code}: ${message}`, hint].filter((line) => line !== undefined).join("\n");
    // The protocol's own word for a tool that does not exist.
    if (code === "AGENT_UNKNOWN_TOOL")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text, { code });
    return { ...toResult(text), isError: true };
  }
}

function toResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
