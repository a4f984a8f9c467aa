import {
  type AgentApp,
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { ProcessHost } from "../../../../src/host/host.ts";
import type { ProcessEnd } from "../../../../src/host/managed-process.ts";
import type { SpawnRequest } from "../../../../src/host/process-spawner.ts";
import { createTestHost } from "../test-host.ts";

/** What an agent does with one prompt. */
export interface PromptParts {
  readonly text: string;
  readonly client: AgentContext;
  /** Aborts when Troupe asks the agent to stop. */
  readonly cancelled: AbortSignal;
  tell(update: SessionUpdate): Promise<void>;
  /** Prints a line as it is. */
  print(line: string): void;
  /** The program ends here and now. */
  exit(exitCode: number): void;
}

/** An agent that speaks the protocol in this process. */
export interface AgentScript {
  prompt?(parts: PromptParts): Promise<PromptResponse>;
  /** Registers something of its own; what it registers here comes first. */
  extend?(app: AgentApp): void;
  readonly capabilities?: { readonly loadSession?: boolean; readonly http?: boolean };
}

/** A host whose programs are the agent. */
export interface AgentHost {
  readonly host: ProcessHost;
  /** What the agent was asked, in order: the method and its parameters. */
  readonly asked: readonly { readonly method: string; readonly params: unknown }[];
  /** Programs that were started, with whether each of them was ended. */
  readonly programs: readonly {
    readonly request: SpawnRequest;
    readonly hasEnded: () => boolean;
  }[];
}

const SESSION = "session-1";

/** Programs are in-memory agents; nothing is started. */
export function createAgentHost(script: AgentScript): AgentHost {
  const asked: { method: string; params: unknown }[] = [];
  const programs: { request: SpawnRequest; hasEnded: () => boolean }[] = [];
  const host: ProcessHost = {
    ...createTestHost(),
    spawn: async (request) => {
      const { promise: exited, resolve } = Promise.withResolvers<ProcessEnd>();
      let hasEnded = false;
      const end = (how: ProcessEnd) => {
        hasEnded = true;
        resolve(how);
        return exited;
      };
      programs.push({ request, hasEnded: () => hasEnded });
      const print = (line: string) => {
        if (!hasEnded) void request.onStdout(Buffer.from(`${line}\n`));
      };
      const input = new TransformStream<Uint8Array, Uint8Array>();
      const writer = input.writable.getWriter();
      const output = new WritableStream<Uint8Array>({
        write: async (chunk) => {
          if (!hasEnded) await request.onStdout(Buffer.from(chunk));
        },
      });
      const exit = (exitCode: number) => void end({ exitCode, signal: null });
      toApp(script, { asked, print, exit }).connect(ndJsonStream(output, input.readable));
      return {
        pid: 1,
        write: (text) => writer.write(Buffer.from(text)),
        closeStdin: () => {},
        exited,
        ended: exited,
        end: () => end({ exitCode: null, signal: "SIGTERM" }),
      };
    },
  };
  return { host, asked, programs };
}

interface AppParts extends Pick<PromptParts, "print" | "exit"> {
  readonly asked: { method: string; params: unknown }[];
}

function toApp(script: AgentScript, { asked, print, exit }: AppParts): AgentApp {
  const { loadSession = true, http = true } = script.capabilities ?? {};
  let running = new AbortController();
  const note = (method: string, params: unknown) => asked.push({ method, params });
  const app = agent({ name: "in-memory" });
  script.extend?.(app);
  app
    .onRequest(methods.agent.initialize, ({ params }) => {
      note("initialize", params);
      const mcpCapabilities = { http };
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentCapabilities: { loadSession, mcpCapabilities },
      };
    })
    .onRequest(methods.agent.session.new, ({ params }) => {
      note("session/new", params);
      return { sessionId: SESSION };
    })
    .onRequest(methods.agent.session.load, ({ params }) => {
      note("session/load", params);
      return {};
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      note("session/cancel", params);
      running.abort();
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      note("session/prompt", params);
      running = new AbortController();
      const { sessionId, prompt } = params;
      const text = prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
      const tell = (update: SessionUpdate) =>
        client.notify(methods.client.session.update, { sessionId, update });
      const parts = { text, client, cancelled: running.signal, tell, print, exit };
      return (await script.prompt?.(parts)) ?? { stopReason: "end_turn" };
    });
  return app;
}

/** A piece of the agent's answer. */
export function chunk(text: string): SessionUpdate {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}
