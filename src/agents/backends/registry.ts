import type { AgentBackend } from "../../contracts/backend.ts";
import type { Host } from "../../contracts/host.ts";
import type { Clock } from "../../foundation/clock.ts";
import { createCommandBackend } from "./command/command-backend.ts";
import { backendNotAvailable, backendUnknown } from "./errors.ts";
import type { FunctionSources } from "./function/find-function.ts";
import { createFunctionBackend } from "./function/function-backend.ts";
import { createHumanBackend } from "./human/human-backend.ts";
import type { Cassette } from "./script/cassette-schema.ts";
import { createScriptBackend } from "./script/script-backend.ts";

/** What backends are made of. */
export interface BackendDependencies extends FunctionSources {
  readonly host: Host;
  readonly clock: Clock;
  /** What scripted agents without a script of their own play. */
  readonly cassette?: Cassette;
}

/** How one backend is made. */
export interface BackendFactory {
  readonly name: string;
  create(dependencies: BackendDependencies): AgentBackend;
}

/** The backends of this version. Adding one is a folder and a line here. */
export const builtInBackends: readonly BackendFactory[] = [
  { name: "script", create: createScriptBackend },
  { name: "command", create: createCommandBackend },
  { name: "function", create: createFunctionBackend },
  { name: "human", create: createHumanBackend },
];

/** Names that workflows may use and this version cannot run. */
export const plannedBackends: readonly string[] = [
  "claude",
  "codex",
  "gemini",
  "opencode",
  "cursor",
  "aider",
  "goose",
  "acp",
  "model",
];

/** Names of all backends of the format. */
export const knownBackends: readonly string[] = [
  ...builtInBackends.map(({ name }) => name),
  ...plannedBackends,
];

/** Makes the backend of a name. Raises BACKEND_NOT_AVAILABLE for planned ones, BACKEND_UNKNOWN. */
export function createBackend(name: string, dependencies: BackendDependencies): AgentBackend {
  const factory = builtInBackends.find((candidate) => candidate.name === name);
  if (factory !== undefined) return factory.create(dependencies);
  if (plannedBackends.includes(name)) throw backendNotAvailable({ backend: name });
  throw backendUnknown({ backend: name, known: knownBackends });
}
