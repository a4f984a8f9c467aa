import { Client, type Tool, type Transport } from "@modelcontextprotocol/client";
import type { McpServerSpec } from "../../../../contracts/agent.ts";
import type { SessionRequest } from "../../../../contracts/backend.ts";
import type { PinnedTool } from "../../../../contracts/ports/server-pins.ts";
import { sha256 } from "../../../../foundation/hash.ts";
import {
  canonicalJson,
  isJsonObject,
  type Json,
  storableJson,
} from "../../../../foundation/json.ts";
import type { ProcessHost } from "../../../../host/host.ts";
import { findProgram } from "../../../../host/system/find-program.ts";
import { type CutText, cutAfter } from "../files/cut-text.ts";
import { ToolFailure } from "../files/tool-failure.ts";
import { fillVariables } from "./fill-variables.ts";
import { createHttpTransport } from "./http-transport.ts";
import { createStdioTransport } from "./stdio-transport.ts";

const CONNECT_MS = 30_000;
const CALL_MS = 600_000;
const MAX_RESULT_CHARS = 102_400;
const MAX_TOOLS = 200;
/** Of all that a server says of its tools, which every request tells the model. */
const MAX_TOLD_CHARS = 200_000;

/** A tool as its server describes it. */
export interface ServerTool {
  /** As its server calls it. */
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: Json };
  readonly isReadOnly: boolean;
  /** SHA-256 of the text that a model sees of it, as sessions store it. */
  readonly hash: string;
  /** As projects store it. */
  readonly pin: PinnedTool;
}

/** Where a server is started, or reached. */
export interface ServerPlace {
  readonly host: ProcessHost;
  readonly session: Pick<SessionRequest, "cwd" | "logFile" | "confine" | "limits">;
  readonly env: { readonly [name: string]: string };
  /** Whether addresses are reached, which no sandbox around programs would see. */
  readonly mayUseNetwork: boolean;
}

/** A connection to one server. S1: it ends with the session. S2: what is said about its tools is what it said last. */
export class McpServer {
  readonly #client: Client;
  #tools: readonly ServerTool[] = [];
  #omitted = 0;
  #isStale = false;

  private constructor() {
    this.#client = new Client(
      { name: "troupe", version: "1" },
      {
        listChanged: {
          tools: {
            autoRefresh: false,
            debounceMs: 0,
            onChanged: () => {
              this.#isStale = true;
            },
          },
        },
      },
    );
  }

  /** Connects and asks what there is. Rejects with why not. */
  static async open(spec: McpServerSpec, place: ServerPlace): Promise<McpServer> {
    const server = new McpServer();
    try {
      await server.#client.connect(transportOf(spec, place), { timeout: CONNECT_MS });
      await server.#list();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  /** How many of its tools are left out, for it has too many or says too much of them. */
  get omitted(): number {
    return this.#omitted;
  }

  /** Asks again what there is, if the server has said that it is something else. Rejects when it cannot say. */
  async refresh(): Promise<void> {
    if (this.#isStale) await this.#list();
  }

  /** The text of the result. Raises ToolFailure and the signal's reason. */
  async call(
    tool: string,
    input: { readonly [key: string]: Json },
    signal: AbortSignal,
  ): Promise<string | CutText> {
    const given = { name: tool, arguments: { ...input } };
    const result = await this.#client
      .callTool(given, { signal, timeout: CALL_MS, resetTimeoutOnProgress: true })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw new ToolFailure(error instanceof Error ? error.message : String(error));
      });
    const text = cutAfter(result.content.map(textOf).join("\n"), MAX_RESULT_CHARS);
    if (result.isError === true) throw new ToolFailure(text);
    return text === "" ? "(nothing)" : text;
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
  }

  async #list(): Promise<void> {
    this.#isStale = false;
    const { tools } = await this.#client.listTools({}, { timeout: CONNECT_MS });
    let left = MAX_TOLD_CHARS;
    const named = new Set<string>();
    this.#tools = tools.slice(0, MAX_TOOLS).flatMap((given) => {
      // A second tool of the same name would be called as the first, whatever it says.
      if (named.has(given.name)) return [];
      named.add(given.name);
      const tool = toServerTool(given);
      const size =
        tool.tool.length + tool.description.length + JSON.stringify(tool.inputSchema).length;
      if (size > left) return [];
      left -= size;
      return [tool];
    });
    this.#omitted = tools.length - this.#tools.length;
  }
}

function transportOf(spec: McpServerSpec, place: ServerPlace): Transport {
  const { host, session, env, mayUseNetwork } = place;
  const variable = (name: string) => host.variable(name);
  if ("url" in spec) {
    if (!mayUseNetwork) throw new Error("its agent may not use the network");
    const headers = fillVariables(spec.headers, variable);
    return createHttpTransport(new URL(spec.url), headers);
  }
  const whole = { ...env, ...fillVariables(spec.env, variable) };
  const file = findProgram(spec.command, whole, session.cwd);
  if (file === undefined) throw new Error(`${spec.command} is not on PATH`);
  return createStdioTransport({ host, session, argv: [file, ...(spec.args ?? [])], env: whole });
}

function toServerTool({
  name: tool,
  description = "",
  inputSchema,
  annotations,
}: Tool): ServerTool {
  const schema = storableJson(inputSchema);
  const told = { tool, description, inputSchema: isJsonObject(schema) ? schema : {} };
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    ...told,
    isReadOnly,
    hash: sha256(canonicalJson(told)),
    pin: { tool, description, schema: canonicalJson(told.inputSchema), isReadOnly },
  };
}

function textOf(part: { readonly type: string; readonly text?: string }): string {
  return part.type === "text" ? (part.text ?? "") : `(${part.type}, which is not shown)`;
}
