import { toErrorReport } from "../foundation/errors.ts";
import { type Json, toJson } from "../foundation/json.ts";
import type { AdmittedRequest } from "./route-table.ts";

/**
 * Calls a tool for a program that speaks no MCP: the body is its input, the answer `{result}`, or `{error}`
 * with status 422 when the tool refuses.
 */
export async function answerTool({ guest, response, body, rest }: AdmittedRequest): Promise<void> {
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
