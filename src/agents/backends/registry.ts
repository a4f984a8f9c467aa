import type { AgentBackend } from "../../contracts/backend.ts";
import type { ServerPins } from "../../contracts/ports/server-pins.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { ProcessHost } from "../../host/host.ts";
import { AIDER } from "./aider/aider-descriptor.ts";
import { CLAUDE } from "./claude/claude-descriptor.ts";
import { CODEX } from "./codex/codex-descriptor.ts";
import { CURSOR } from "./cursor/cursor-descriptor.ts";
import type { FunctionSources } from "./function/function-backend.ts";
import { GEMINI } from "./gemini/gemini-descriptor.ts";
import { GOOSE } from "./goose/goose-descriptor.ts";
import { MODEL } from "./model/model-descriptor.ts";
import { OPENCODE } from "./opencode/opencode-descriptor.ts";
import type { BackendDescriptor } from "./parts/backend-descriptor.ts";
import type { BackendSettings, OwnSettings } from "./parts/backend-settings.ts";
import { backendNotAvailable, backendUnknown } from "./parts/errors.ts";
import type { Cassette } from "./script/cassette-schema.ts";

/** What backends are made of. */
export interface BackendDependencies extends FunctionSources {
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** What scripted agents without a script of their own play. */
  readonly cassette?: Cassette | undefined;
  /** What the configuration says, by backend. Defaults to nothing. */
  readonly settings?: { readonly [backend: string]: BackendSettings } | undefined;
  /** What the project knows of the tools of MCP servers. Absent: nothing that outlives a session. */
  readonly pins?: ServerPins | undefined;
  /** Backends beside those of troupe. Defaults to none. */
  readonly own?: readonly BackendEntry[] | undefined;
}

/** Makes a backend. `own`: its name in workflows and what the configuration says of it. */
export type CreateBackend = (dependencies: BackendDependencies, own: OwnSettings) => AgentBackend;

/** What is known of a backend, and how to come by it. */
export interface BackendEntry extends BackendDescriptor {
  /** Loads what makes it; what its sessions need comes later. */
  load(): Promise<CreateBackend>;
}

/** The backends of this version. Adding one is a folder and a line here. */
export const builtInBackends: readonly BackendEntry[] = [
  {
    name: "script",
    isFixed: true,
    configKeys: ["env"],
    takes: ["script"],
    load: async () => (await import("./script/script-backend.ts")).createScriptBackend,
  },
  {
    name: "command",
    isFixed: true,
    configKeys: ["env"],
    takes: ["command"],
    worker: "program",
    load: async () => (await import("./command/command-backend.ts")).createCommandBackend,
  },
  {
    name: "function",
    isFixed: true,
    configKeys: [],
    takes: ["module"],
    worker: "program",
    load: async () => (await import("./function/function-backend.ts")).createFunctionBackend,
  },
  {
    name: "human",
    isFixed: true,
    configKeys: [],
    worker: "person",
    load: async () => (await import("./human/human-backend.ts")).createHumanBackend,
  },
  {
    ...CLAUDE,
    load: async () => (await import("./claude/claude-backend.ts")).createClaudeBackend,
  },
  { ...CODEX, load: async () => (await import("./codex/codex-backend.ts")).createCodexBackend },
  {
    ...GEMINI,
    load: async () => (await import("./gemini/gemini-backend.ts")).createGeminiBackend,
  },
  {
    ...OPENCODE,
    load: async () => (await import("./opencode/opencode-backend.ts")).createOpencodeBackend,
  },
  {
    name: "acp",
    isAnyProgram: true,
    takes: ["command"],
    load: async () => (await import("./acp/acp-backend.ts")).createAcpBackend,
  },
  {
    ...CURSOR,
    load: async () => (await import("./cursor/cursor-backend.ts")).createCursorBackend,
  },
  { ...AIDER, load: async () => (await import("./aider/aider-backend.ts")).createAiderBackend },
  { ...GOOSE, load: async () => (await import("./goose/goose-backend.ts")).createGooseBackend },
  { ...MODEL, load: async () => (await import("./model/model-backend.ts")).createModelBackend },
];

/** Names that workflows may use and this version cannot run. */
export const plannedBackends: readonly string[] = [];

/** Names of all backends of the format. */
export const knownBackends: readonly string[] = [
  ...builtInBackends.map(({ name }) => name),
  ...plannedBackends,
];

/** What is known of a backend that comes with troupe. */
export function describeBackend(backend: string): BackendDescriptor | undefined {
  return builtInBackends.find(({ name }) => name === backend);
}

/**
 * Loads and makes the backend of a name: one of its own, or of the `type` that the configuration gives to it. Raises
 * BACKEND_NOT_AVAILABLE for planned ones, BACKEND_UNKNOWN.
 */
export async function createBackend(
  name: string,
  dependencies: BackendDependencies,
): Promise<AgentBackend> {
  const { settings: all = {}, own = [] } = dependencies;
  const settings = Object.hasOwn(all, name) ? all[name] : undefined;
  const kind = settings?.type ?? name;
  const entry = [...builtInBackends, ...own].find((candidate) => candidate.name === kind);
  if (entry !== undefined) return (await entry.load())(dependencies, { name, settings });
  if (plannedBackends.includes(kind)) throw backendNotAvailable({ backend: name });
  throw backendUnknown({ backend: name, known: [...knownBackends, ...own.map((one) => one.name)] });
}
