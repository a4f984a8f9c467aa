import { type IncomingMessage, type RequestOptions, request } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorReport, fromErrorReport } from "../../foundation/errors.ts";
import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import { contextUnreachable, outsideAgent, usageInvalid } from "../command/errors.ts";
import type { Io } from "../terminal/io.ts";

/** The way of this process to Troupe's tools, as the agent that started it. */
export interface AgentDoor {
  /** A unix socket, or a port of this machine. */
  readonly place: { readonly socketPath: string } | { readonly port: number };
  readonly token: string;
  /** Who the agent must be. */
  readonly agent: string | undefined;
}

// What can stand in the header of a request.
const TOKEN = /^[!-~]+$/;
const URL_PATTERN = /^http:\/\/127\.0\.0\.1:(\d{1,5})\/mcp$/;
// No tool of Troupe answers with as much; whoever else listens there may.
const MAX_ANSWER_CHARS = 16 * 1024 * 1024;
const AGENT = /^[\w.-]+(@[\w.-]+)?$/;

/** Reads the environment that an agent gives its processes. Raises USAGE_OUTSIDE_AGENT, USAGE_INVALID. */
export function findDoor(
  command: string,
  agent: string | undefined,
  { env }: Pick<Io, "env">,
): AgentDoor {
  const { TROUPE_CONTEXT_TOKEN: token = "" } = env;
  const place = placeOf(env);
  if (!TOKEN.test(token) || place === undefined)
    throw outsideAgent({ command: `troupe ${command}` });
  if (agent !== undefined && !AGENT.test(agent))
    throw usageInvalid({ problem: `"${agent}" cannot be the name of an agent` });
  return { place, token, agent };
}

/** How a person is told where the tools are. */
export function placeText({ place }: AgentDoor): string {
  return "port" in place ? `127.0.0.1:${place.port}` : place.socketPath;
}

/** Calls one of Troupe's tools. Raises MCP_UNREACHABLE, MCP_* refusals and what the tool raises. */
export async function callToolOfRun(door: AgentDoor, tool: string, input: Json): Promise<Json> {
  const answer = await exchange(door, `/tools/${tool}`, JSON.stringify(input));
  if (isRecord(answer) && "result" in answer) return toJson(answer["result"], "an answer");
  throw toError(door, answer);
}

/** A connection on which MCP messages go as lines, both ways. Raises MCP_UNREACHABLE, MCP_* refusals. */
export function connectLines(door: AgentDoor): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const sent = request({
      ...toOptions(door, "/mcp"),
      headers: { ...headersOf(door), Connection: "Upgrade", Upgrade: "mcp-lines" },
    });
    sent.on("upgrade", (_response, stream, head) => {
      stream.unshift(head);
      resolve(stream);
    });
    sent.on("response", (response) => {
      readAnswer(response).then((answer) => reject(toError(door, answer)), reject);
    });
    sent.on("error", (error) => reject(unreachable(door, error)));
    sent.end();
  });
}

function exchange(door: AgentDoor, path: string, body: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...toOptions(door, path), method: "POST" });
    const fail = (error: unknown) => reject(unreachable(door, error));
    sent.on("response", (response) => void readAnswer(response).then(resolve, fail));
    sent.on("error", fail);
    sent.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MAX_ANSWER_CHARS)
      throw new Error("it answers with more than 16 Mi characters");
  }
  return JSON.parse(text);
}

/** The socket costs less; in a sandbox there is only the port. */
function placeOf({
  TROUPE_CONTEXT_SOCKET: socketPath = "",
  TROUPE_CONTEXT_URL: url = "",
}: Io["env"]): AgentDoor["place"] | undefined {
  if (socketPath !== "") return { socketPath };
  const port = Number(URL_PATTERN.exec(url)?.[1]);
  return port > 0 ? { port } : undefined;
}

function toOptions(door: AgentDoor, path: string): RequestOptions {
  const { place } = door;
  const where = "port" in place ? { host: "127.0.0.1", port: place.port } : place;
  return { ...where, path, headers: headersOf(door), agent: false };
}

function headersOf({ token, agent }: AgentDoor): { readonly [name: string]: string } {
  return {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    ...(agent === undefined ? {} : { "X-Agent-Id": agent }),
  };
}

function toError(door: AgentDoor, answer: unknown): Error {
  const report = isRecord(answer) ? answer["error"] : undefined;
  if (isReport(report)) return fromErrorReport(report);
  return contextUnreachable({ place: placeText(door), problem: "another program answers" });
}

function isReport(value: unknown): value is ErrorReport {
  return (
    isRecord(value) && typeof value["code"] === "string" && typeof value["message"] === "string"
  );
}

function unreachable(door: AgentDoor, cause: unknown): Error {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return contextUnreachable({ place: placeText(door), problem }, { cause });
}
