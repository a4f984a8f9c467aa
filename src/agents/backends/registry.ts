import type { AgentBackend } from "../../contracts/backend.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { ProcessHost } from "../../host/host.ts";
import { createAcpBackend } from "./acp/acp-backend.ts";
import { AIDER, createAiderBackend } from "./aider/aider-backend.ts";
import { CLAUDE, createClaudeBackend } from "./claude/claude-backend.ts";
import { CODEX, createCodexBackend } from "./codex/codex-backend.ts";
import { createCommandBackend } from "./command/command-backend.ts";
import { CURSOR, createCursorBackend } from "./cursor/cursor-backend.ts";
import { createFunctionBackend, type FunctionSources } from "./function/function-backend.ts";
import { createGeminiBackend, GEMINI } from "./gemini/gemini-backend.ts";
import { createGooseBackend, GOOSE } from "./goose/goose-backend.ts";
import { createHumanBackend } from "./human/human-backend.ts";
import { createModelBackend, MODEL } from "./model/model-backend.ts";
import { createOpencodeBackend } from "./opencode/opencode-backend.ts";
import { OPENCODE } from "./opencode/opencode-descriptor.ts";
import type { BackendDescriptor } from "./parts/backend-descriptor.ts";
import type { BackendSettings, OwnSettings } from "./parts/backend-settings.ts";
import { backendNotAvailable, backendUnknown } from "./parts/errors.ts";
import type { Cassette } from "./script/cassette-schema.ts";
import { createScriptBackend } from "./script/script-backend.ts";

/** What backends are made of. */
export interface BackendDependencies extends FunctionSources {
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** What scripted agents without a script of their own play. */
  readonly cassette?: Cassette | undefined;
  /** What the configuration says, by backend. Defaults to nothing. */
  readonly settings?: { readonly [backend: string]: BackendSettings } | undefined;
  /** Backends beside those of troupe. Defaults to none. */
  readonly own?: readonly BackendFactory[] | undefined;
}

/** How one backend is made. */
export interface BackendFactory extends BackendDescriptor {
  /** `own`: its name in workflows and what the configuration says of it. Loads nothing heavy: sessions do. */
  create(dependencies: BackendDependencies, own: OwnSettings): AgentBackend;
}

/** The backends of this version. Adding one is a folder and a line here. */
export const builtInBackends: readonly BackendFactory[] = [
  { name: "script", isFixed: true, takes: ["script"], create: createScriptBackend },
  {
    name: "command",
    isFixed: true,
    takes: ["command"],
    worker: "program",
    create: createCommandBackend,
  },
  {
    name: "function",
    isFixed: true,
    takes: ["module"],
    worker: "program",
    create: createFunctionBackend,
  },
  { name: "human", isFixed: true, worker: "person", create: createHumanBackend },
  { ...CLAUDE, create: createClaudeBackend },
  { ...CODEX, create: createCodexBackend },
  { ...GEMINI, create: createGeminiBackend },
  { ...OPENCODE, create: createOpencodeBackend },
  { name: "acp", isAnyProgram: true, takes: ["command"], create: createAcpBackend },
  { ...CURSOR, create: createCursorBackend },
  { ...AIDER, create: createAiderBackend },
  { ...GOOSE, create: createGooseBackend },
  { ...MODEL, create: createModelBackend },
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
 * Makes the backend of a name: one of its own, or of the `type` that the configuration gives to it. Raises
 * BACKEND_NOT_AVAILABLE for planned ones, BACKEND_UNKNOWN.
 */
export function createBackend(name: string, dependencies: BackendDependencies): AgentBackend {
  const { settings: all = {}, own = [] } = dependencies;
  const settings = Object.hasOwn(all, name) ? all[name] : undefined;
  const kind = settings?.type ?? name;
  const factory = [...builtInBackends, ...own].find((candidate) => candidate.name === kind);
  if (factory !== undefined) return factory.create(dependencies, { name, settings });
  if (plannedBackends.includes(kind)) throw backendNotAvailable({ backend: name });
  throw backendUnknown({ backend: name, known: [...knownBackends, ...own.map((one) => one.name)] });
}
