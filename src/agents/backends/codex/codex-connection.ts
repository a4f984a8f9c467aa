import { z } from "zod";
import type { SessionRequest } from "../../../contracts/backend.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { ProcessEnd } from "../../../host/managed-process.ts";
import { agentExited, protocolBroken } from "../parts/errors.ts";
import {
  createJsonRpcPeer,
  type JsonRpcPeer,
  type RpcAnswer,
  type RpcRequest,
} from "../parts/json-rpc-lines.ts";
import { startLineProcess } from "../parts/line-process.ts";
import { TROUPE_SERVER } from "./codex-item.ts";

export interface CodexConnectionOptions {
  readonly host: ProcessHost;
  readonly request: SessionRequest;
  readonly argv: readonly [string, ...string[]];
  readonly env: { readonly [name: string]: string };
  readonly onRequest: (request: RpcRequest) => Promise<unknown>;
  readonly onNotification: (line: string) => void;
}

/** A running `codex app-server` that has said hello. */
export interface CodexConnection extends Pick<JsonRpcPeer, "call"> {
  /** Resolves once the program is gone, with BACKEND_EXITED, or with what kept it from ending. */
  readonly gone: Promise<unknown>;
  /** Ends the program and all that it started. Idempotent. */
  end(): Promise<void>;
}

const layerSchema = z.object({
  name: z.object({ type: z.string() }),
  config: z.object({ mcp_servers: z.record(z.string(), z.unknown()).optional() }).catch({}),
});
const configSchema = z.object({ layers: z.array(layerSchema).nullish() });

/**
 * Starts Codex. Raises BACKEND_EXITED, BACKEND_PROTOCOL, HOST_* errors.
 */
export async function connectCodex(options: CodexConnectionOptions): Promise<CodexConnection> {
  const { host, request, argv, env } = options;
  const line = (text: string) => {
    peer.take(text);
  };
  const process = await startLineProcess({
    ...{ host, session: request, argv, env },
    onLine: line,
    onLeftOut: isSpareLine,
  });
  const peer = createJsonRpcPeer({
    // A program that does not read any more has ended, or will be.
    send: (text) => void process.send(text),
    onRequest: options.onRequest,
    onNotification: options.onNotification,
  });
  const toError = ({ exitCode, signal }: ProcessEnd) =>
    agentExited({
      agent: request.spec.id,
      ...(exitCode === null ? {} : { exitCode }),
      ...(signal === null ? {} : { signal }),
      stderr: process.stderr,
    });
  const gone = process.ended
    .then(toError, (error: unknown) => error)
    .then((error) => {
      peer.end(error);
      return error;
    });
  const end = async () => {
    await process.end();
  };
  try {
    const clientInfo = { name: "troupe", title: "Troupe", version: "1" };
    const hello = await peer.call("initialize", { clientInfo, capabilities: null });
    resultOf(request, hello);
    peer.notify("initialized");
    return { call: peer.call, gone, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** What a call must have answered. Raises BACKEND_PROTOCOL. */
export function resultOf({ spec }: Pick<SessionRequest, "spec">, answer: RpcAnswer): unknown {
  if (answer.ok) return answer.result;
  throw protocolBroken({ agent: spec.id, problem: answer.message });
}

/**
 * Names of the MCP servers that Codex would start beside Troupe's: none of them is the agent's business,
 * but those of a project that is trusted. Reads configuration only.
 */
export async function foreignServers(
  { call }: Pick<CodexConnection, "call">,
  request: SessionRequest,
): Promise<readonly string[]> {
  const answer = resultOf(
    request,
    await call("config/read", { cwd: request.cwd, includeLayers: true }),
  );
  const { layers } = configSchema.safeParse(answer).data ?? {};
  if (layers === undefined || layers === null) {
    const problem = "its configuration cannot be read";
    throw protocolBroken({ agent: request.spec.id, problem });
  }
  const names = layers
    .filter(({ name: { type } }) => type !== "project")
    .flatMap(({ config }) => Object.keys(config.mcp_servers ?? {}));
  return [...new Set(names)].filter((name) => name !== TROUPE_SERVER);
}

const HEAD_CHARS = 500;
const SPARE_METHOD = /"method"\s*:\s*"(?:[^"]*(?:[dD]elta|\/progress)|turn\/diff\/updated)"/;
const ITEM_METHOD = /"method"\s*:\s*"item\/(?:started|completed)"/;
const TYPE = /"type"\s*:\s*"([^"]*)"/;

/**
 * True if a turn has the same outcome without a line that begins like this: parts of what comes again as a whole, items
 * other than what the agent says, and what is not a message at all.
 */
function isSpareLine(start: string): boolean {
  const head = start.slice(0, HEAD_CHARS);
  if (/^\s*[^\s{]/.test(head) || SPARE_METHOD.test(head)) return true;
  const type = ITEM_METHOD.test(head) ? TYPE.exec(head)?.[1] : undefined;
  return type !== undefined && type !== "agentMessage";
}
