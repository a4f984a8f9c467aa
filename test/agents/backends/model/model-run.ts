import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createModelBackend } from "../../../../src/agents/backends/model/model-backend.ts";
import type { BackendSettings } from "../../../../src/agents/backends/parts/backend-settings.ts";
import type { AgentSpec } from "../../../../src/contracts/agent.ts";
import type { TurnRequest, TurnUpdate } from "../../../../src/contracts/backend.ts";
import type { ServerPins } from "../../../../src/contracts/ports/server-pins.ts";
import type { SessionRecord } from "../../../../src/contracts/session-record.ts";
import type { Clock } from "../../../../src/foundation/clock.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { createTurnRequest } from "../../../../src/testing/turn-request.ts";
import { type ModelServer, startModelServer } from "../../../clients/model-server/model-server.ts";
import { type Step, scriptText } from "../../../clients/model-server/script.ts";
import { createTestHost } from "../test-host.ts";
import { createMemoryRecord } from "./memory-record.ts";

/** The ways in which models are asked, each with where the scripted server answers so. */
export const DIALECTS = {
  anthropic: { provider: "anthropic", path: "/v1", key: "ANTHROPIC_API_KEY", settings: {} },
  responses: { provider: "openai", path: "/v1", key: "OPENAI_API_KEY", settings: {} },
  chat: { provider: "local", path: "/v1", key: "LOCAL_KEY", settings: { type: "model" } },
  "openai-chat": {
    provider: "openai",
    path: "/v1",
    key: "OPENAI_API_KEY",
    settings: { api: "chat" },
  },
  google: { provider: "google", path: "/v1beta", key: "GEMINI_API_KEY", settings: {} },
} as const;

export type Dialect = keyof typeof DIALECTS;

/** An agent of a scripted model in a directory of its own. */
export interface ModelRun {
  readonly cwd: string;
  readonly server: ModelServer;
  /** Puts a text into the turn that runs; whether it was taken. */
  steer(text: string): Promise<boolean>;
  /** One turn, all of its updates. */
  turn(steps: readonly Step[], parts?: Partial<TurnRequest>): Promise<readonly TurnUpdate[]>;
}

export interface ModelRunOptions {
  readonly dialect?: Dialect;
  readonly record?: SessionRecord;
  readonly spec?: Partial<AgentSpec>;
  readonly settings?: Partial<BackendSettings>;
  readonly clock?: Clock;
  readonly env?: { readonly [name: string]: string };
  readonly resume?: string;
  readonly trustsProject?: boolean;
  /** What the project knows of the tools of MCP servers. */
  readonly pins?: ServerPins;
  /** Goes on in the directory and with the server of another one. */
  readonly like?: ModelRun;
}

const { PATH = "" } = process.env;

/** Opens it; all of it ends with the test. */
export async function modelRun(options: ModelRunOptions = {}): Promise<ModelRun> {
  const { dialect = "anthropic", like, clock = systemClock } = options;
  const { provider, path, key, settings: own } = DIALECTS[dialect];
  const server = like?.server ?? (await startModelServer());
  const cwd = like?.cwd ?? (await mkdtemp(join(tmpdir(), "troupe-model-")));
  if (like === undefined)
    onTestFinished(async () => {
      await server.close();
      await rm(cwd, { recursive: true, force: true });
    });
  const baseUrl = `${server.urlFor("worker")}${path}`;
  const settings = { [provider]: { baseUrl, apiKeyEnv: key, ...own, ...options.settings } };
  const host = createTestHost();
  const backend = createModelBackend(
    { host, clock, settings, pins: options.pins },
    { name: "model", settings: undefined },
  );
  const session = await backend.open({
    run: "run_aaaaaa",
    session: "worker",
    cwd,
    env: { PATH, [key]: "a-key", ...options.env },
    record: options.record ?? createMemoryRecord(),
    trustsProject: options.trustsProject ?? false,
    ...(options.resume === undefined ? {} : { resume: options.resume }),
    spec: { id: "worker", backend: "model", model: `${provider}/scripted`, ...options.spec },
  });
  onTestFinished(() => session.close());
  return {
    cwd,
    server,
    steer: async (text) => (await session.steer?.(text)) ?? false,
    turn: async (steps, parts = {}) => {
      const updates: TurnUpdate[] = [];
      const request = createTurnRequest({ prompt: scriptText(...steps), ...parts });
      for await (const update of session.prompt(request)) updates.push(update);
      return updates;
    },
  };
}

/** The results of tools in a turn, in order. */
export function resultsOf(updates: readonly TurnUpdate[]): readonly string[] {
  return updates.flatMap((update) =>
    update.type === "tool-result" ? [`${update.isError ? "error: " : ""}${update.result}`] : [],
  );
}
