import { toErrorReport } from "../foundation/errors.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { MENTION_METHOD } from "./mention-relay.ts";
import type { AdmittedRequest, AdmittedStream, ServedRoute } from "./route-table.ts";

const withBody = { caller: "agent", body: "json" } as const;
const withoutBody = { caller: "agent", body: "none" } as const;

/** Everything that the context server answers. What speaks MCP is loaded at the first request. */
export const contextRoutes: readonly ServedRoute[] = [
  {
    method: "POST",
    path: "/mcp",
    policy: withBody,
    answer: async (admitted) => (await import("./answer-mcp.ts")).answerMcp(admitted),
  },
  {
    method: "GET",
    path: "/mcp",
    policy: withoutBody,
    answer: async (admitted) => (await import("./answer-mcp.ts")).answerMcp(admitted),
  },
  {
    method: "DELETE",
    path: "/mcp",
    policy: withoutBody,
    answer: async (admitted) => (await import("./answer-mcp.ts")).answerMcp(admitted),
  },
  {
    method: "UPGRADE",
    path: "/mcp",
    policy: withoutBody,
    take: serveLines,
  },
  {
    method: "POST",
    path: "/tools/*",
    policy: withBody,
    answer: answerTool,
  },
];

/** Serves an MCP client whose messages come and go as lines, as over standard input and output. */
async function serveLines({ guest, stream }: AdmittedStream): Promise<void> {
  const endpoint = await guest.endpoint();
  // A client that has not said anything yet does not expect anything either.
  stream.once("data", () => {
    guest.mentions.add(stream, (params) => `${JSON.stringify(notification(params))}\n`);
  });
  endpoint.serveLines(stream);
}

function notification(params: { readonly [name: string]: string }) {
  return { jsonrpc: "2.0", method: MENTION_METHOD, params };
}

/**
 * Calls a tool for a program that speaks no MCP: the body is its input, the answer `{result}`, or `{error}`
 * with status 422 when the tool refuses.
 */
async function answerTool({ guest, response, body, rest }: AdmittedRequest): Promise<void> {
  const { status, answer } = await call(guest.visitor.call, rest, body);
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
}

async function call(
  callTool: (tool: string, input: Json) => Promise<Json>,
  tool: string,
  body: unknown,
): Promise<{ readonly status: 200 | 422; readonly answer: unknown }> {
  try {
    const result = await callTool(tool, toJson(body, `the input of ${tool}`));
    return { status: 200, answer: { result } };
  } catch (error) {
    return { status: 422, answer: { error: toErrorReport(error) } };
  }
}
