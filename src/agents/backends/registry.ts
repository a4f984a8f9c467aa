import type { AgentBackend } from "../../contracts/backend.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { ProcessHost } from "../../host/host.ts";
import { createAcpBackend } from "./acp/acp-backend.ts";
import { createAiderBackend } from "./aider/aider-backend.ts";
import { AIDER_REFUSED } from "./aider/aider-refused.ts";
import { createClaudeBackend } from "./claude/claude-backend.ts";
import { CLAUDE_REFUSED } from "./claude/claude-refused.ts";
import { createCodexBackend } from "./codex/codex-backend.ts";
import { CODEX_REFUSED } from "./codex/codex-refused.ts";
import { createCommandBackend } from "./command/command-backend.ts";
import { createCursorBackend } from "./cursor/cursor-backend.ts";
import { CURSOR_REFUSED } from "./cursor/cursor-refused.ts";
import type { FunctionSources } from "./function/find-function.ts";
import { createFunctionBackend } from "./function/function-backend.ts";
import { createGeminiBackend } from "./gemini/gemini-backend.ts";
import { GEMINI_REFUSED } from "./gemini/gemini-refused.ts";
import { createGooseBackend } from "./goose/goose-backend.ts";
import { GOOSE_REFUSED } from "./goose/goose-refused.ts";
import { createHumanBackend } from "./human/human-backend.ts";
import { createOpencodeBackend } from "./opencode/opencode-backend.ts";
import { OPENCODE_REFUSED } from "./opencode/opencode-refused.ts";
import type { BackendSettings } from "./parts/backend-settings.ts";
import { backendNotAvailable, backendUnknown } from "./parts/errors.ts";
import type { RefusedArguments } from "./parts/refused-arguments.ts";
import type { Cassette } from "./script/cassette-schema.ts";
import { createScriptBackend } from "./script/script-backend.ts";

/** What backends are made of. */
export interface BackendDependencies extends FunctionSources {
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** What scripted agents without a script of their own play. */
  readonly cassette?: Cassette;
  /** What the configuration says, by backend. Defaults to nothing. */
  readonly settings?: { readonly [backend: string]: BackendSettings };
}

/** How one backend is made. */
export interface BackendFactory {
  readonly name: string;
  /** `own`: its name in workflows and what the configuration says of it. Loads nothing heavy: sessions do. */
  create(dependencies: BackendDependencies, own: OwnSettings): AgentBackend;
  /** What nobody may add to its command line. Absent: the program is the user's own. */
  readonly refuses?: RefusedArguments;
}

/** What is known of one backend beside its kind. */
export interface OwnSettings {
  readonly name: string;
  readonly settings: BackendSettings | undefined;
}

/** The backends of this version. Adding one is a folder and a line here. */
export const builtInBackends: readonly BackendFactory[] = [
  { name: "script", create: createScriptBackend },
  { name: "command", create: createCommandBackend },
  { name: "function", create: createFunctionBackend },
  { name: "human", create: createHumanBackend },
  { name: "claude", create: createClaudeBackend, refuses: CLAUDE_REFUSED },
  { name: "codex", create: createCodexBackend, refuses: CODEX_REFUSED },
  { name: "gemini", create: createGeminiBackend, refuses: GEMINI_REFUSED },
  { name: "opencode", create: createOpencodeBackend, refuses: OPENCODE_REFUSED },
  { name: "acp", create: createAcpBackend },
  { name: "cursor", create: createCursorBackend, refuses: CURSOR_REFUSED },
  { name: "aider", create: createAiderBackend, refuses: AIDER_REFUSED },
  { name: "goose", create: createGooseBackend, refuses: GOOSE_REFUSED },
];

/** Names that workflows may use and this version cannot run. */
export const plannedBackends: readonly string[] = ["model"];

/** Names of all backends of the format. */
export const knownBackends: readonly string[] = [
  ...builtInBackends.map(({ name }) => name),
  ...plannedBackends,
];

/** What nobody may add to the command line of a backend; undefined where everything may be added. */
export function argumentsRefusedBy(backend: string): RefusedArguments | undefined {
  return builtInBackends.find(({ name }) => name === backend)?.refuses;
}

/**
 * Makes the backend of a name: one of its own, or of the `type` that the configuration gives to it. Raises
 * BACKEND_NOT_AVAILABLE for planned ones, BACKEND_UNKNOWN.
 */
export function createBackend(name: string, dependencies: BackendDependencies): AgentBackend {
  const { settings: all = {} } = dependencies;
  const settings = Object.hasOwn(all, name) ? all[name] : undefined;
  const kind = settings?.type ?? name;
  const factory = builtInBackends.find((candidate) => candidate.name === kind);
  if (factory !== undefined) return factory.create(dependencies, { name, settings });
  if (plannedBackends.includes(kind)) throw backendNotAvailable({ backend: name });
  throw backendUnknown({ backend: name, known: knownBackends });
}
