import { z } from "zod";
import type { SessionRequest, TurnUpdate } from "../../../contracts/backend.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { protocolBroken, sessionUnknown } from "../parts/errors.ts";
import type { RpcRequest } from "../parts/json-rpc-lines.ts";
import {
  type CodexConnection,
  connectCodex,
  foreignServers,
  resultOf,
} from "./codex-connection.ts";
import type { CodexLaunch } from "./codex-launch.ts";
import { CodexReader } from "./codex-reader.ts";
import { threadParams } from "./thread-params.ts";

export interface ThreadOptions {
  readonly host: ProcessHost;
  /** `resume` is the id of the thread to go on with. */
  readonly request: SessionRequest;
  readonly launch: CodexLaunch;
  readonly model: string | undefined;
  readonly onRequest: (request: RpcRequest) => Promise<unknown>;
  readonly onUpdate: (update: TurnUpdate) => void;
}

/** A conversation with Codex, open in a process. */
export interface CodexThread {
  readonly id: string;
  readonly connection: CodexConnection;
  readonly reader: CodexReader;
}

const threadSchema = z.object({ thread: z.object({ id: z.string() }) });
const UNKNOWN = /no rollout found|invalid session id|thread not found/i;

/**
 * Starts a process and in it a thread, or goes on with one. Raises BACKEND_SESSION_UNKNOWN, BACKEND_EXITED,
 * BACKEND_PROTOCOL, HOST_* errors.
 */
export async function openThread(options: ThreadOptions): Promise<CodexThread> {
  const { host, request, launch, onRequest, onUpdate } = options;
  const agent = request.spec.id;
  // A thread that is resumed speaks before anything else is asked; a new one has nothing to say yet.
  let reader = request.resume === undefined ? undefined : new CodexReader(agent, request.resume);
  const connection = await connectCodex({
    host,
    request: { ...request, ...(launch.confine === undefined ? {} : { confine: launch.confine }) },
    argv: [...launch.program, "app-server", ...launch.flags],
    env: launch.env,
    onRequest,
    onNotification: (line) => {
      for (const update of reader?.take(line) ?? []) onUpdate(update);
    },
  });
  try {
    const id = await threadIn(connection, options);
    reader ??= new CodexReader(agent, id);
    return { id, connection, reader };
  } catch (error) {
    await connection.end();
    throw error;
  }
}

async function threadIn(
  connection: CodexConnection,
  { request, model }: ThreadOptions,
): Promise<string> {
  const { spec, resume } = request;
  const params = threadParams(request, model, await foreignServers(connection, request));
  const answer =
    resume === undefined
      ? await connection.call("thread/start", params)
      : await connection.call("thread/resume", { ...params, threadId: resume, excludeTurns: true });
  if (resume !== undefined && !answer.ok && UNKNOWN.test(answer.message))
    throw sessionUnknown({ agent: spec.id, resume });
  const parsed = threadSchema.safeParse(resultOf(request, answer)).data;
  if (parsed !== undefined) return parsed.thread.id;
  throw protocolBroken({ agent: spec.id, problem: "a thread without an id" });
}
