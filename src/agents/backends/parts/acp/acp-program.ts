import {
  type ClientContext,
  client,
  methods,
  PROTOCOL_VERSION,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { SessionRequest } from "../../../../contracts/backend.ts";
import { isRecord } from "../../../../foundation/json.ts";
import type { ProcessHost } from "../../../../host/host.ts";
import { type LineProcess, startLineProcess } from "../line-process.ts";
import type { AcpLaunch } from "./acp-launch.ts";
import { createMessageStream } from "./message-stream.ts";

/** Takes what a program tells and asks by itself. */
export interface AcpListener {
  /** `params` of a `session/update`, in order. */
  onUpdate(params: unknown): void;
  onPermission(params: { readonly [name: string]: unknown }): Promise<RequestPermissionResponse>;
}

/** A running program, its connection open. */
export interface AcpProgram {
  /** Asks the program. Requests reject with RequestError, or with anything else when the program has ended. */
  readonly agent: ClientContext;
  readonly process: LineProcess;
}

/** What a program is started with. */
export interface AcpStart {
  readonly host: ProcessHost;
  readonly request: SessionRequest;
  readonly launch: AcpLaunch;
}

/** What Troupe does for programs: nothing but answering for permissions. */
export const INITIALIZE = {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: "troupe", title: "Troupe", version: "1" },
};

/** Starts a program. Raises HOST_COMMAND_NOT_FOUND, HOST_SPAWN_FAILED, HOST_LOG_FAILED, HOST_SANDBOX_UNAVAILABLE. */
export async function startAcpProgram(
  { host, request, launch }: AcpStart,
  { onUpdate, onPermission }: AcpListener,
): Promise<AcpProgram> {
  const messages = createMessageStream(onUpdate);
  const process = await startLineProcess({
    host,
    session: request,
    argv: launch.argv,
    env: launch.env,
    onLine: messages.take,
    onLeftOut: isSpareLine,
  });
  // Whoever asked for something learns of the end, however the program ended.
  process.ended.then(messages.end, messages.end);
  const connection = client({ name: "troupe" })
    .onRequest(methods.client.session.requestPermission, toRecord, ({ params }) =>
      onPermission(params),
    )
    .connect(messages.connect(process.send));
  return { agent: connection.agent, process };
}

function toRecord(params: unknown): Record<string, unknown> {
  return isRecord(params) ? params : {};
}

const HEAD_CHARS = 2000;
const UPDATE_METHOD = /"method"\s*:\s*"session\/update"/;
const UPDATE_KIND = /"sessionUpdate"\s*:\s*"([^"]*)"/;

/**
 * True if a turn has the same outcome without a line that begins like this: every update but a piece of the answer, and
 * what is not a message at all.
 */
function isSpareLine(start: string): boolean {
  const head = start.slice(0, HEAD_CHARS);
  if (/^\s*[^\s{]/.test(head)) return true;
  const kind = UPDATE_METHOD.test(head) ? UPDATE_KIND.exec(head)?.[1] : undefined;
  return kind !== undefined && kind !== "agent_message_chunk";
}
