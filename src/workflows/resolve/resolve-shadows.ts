import type { AgentSpec } from "../../contracts/agent.ts";
import { toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { bindShadows } from "../../programs/primitives/shadows/bind-shadows.ts";
import { type PatternFile, readPatternFile } from "../schema/pattern-file-schema.ts";
import type { ShadowEntry } from "../schema/shadow-schema.ts";
import { noBackend } from "./errors.ts";
import type { LoadOptions } from "./load-options.ts";
import { modelOf } from "./resolve-agent.ts";
import { type BackendOrigin, chooseBackend } from "./resolve-backend.ts";

/** Shadows of a checked file, and what decided on the backend of each. */
export interface ResolvedShadows {
  readonly specs: readonly AgentSpec[];
  readonly origins: ReadonlyMap<string, BackendOrigin>;
}

/** What shadows are resolved with. */
export interface ShadowParts {
  readonly agents: readonly AgentSpec[];
  /** Backend of the file, for those that name none. */
  readonly fileBackend: string | undefined;
  readonly options: LoadOptions;
}

/** The shadows that `options.shadow` stands for; none without it. */
export function resolveShadows(
  entry: ShadowEntry | undefined,
  { agents, fileBackend, options }: ShadowParts,
): ResolvedShadows {
  const origins = new Map<string, BackendOrigin>();
  if (entry === undefined) return { specs: [], origins };
  const { of, receiveIncoming, receiveOutgoing, speakOn, permissionMode, task, script } = entry;
  const plan = present({ of, receiveIncoming, receiveOutgoing, speakOn });
  const wish = { backend: entry.backend ?? entry.cli, model: entry.model };
  const specs = bindShadows(agents, plan, (id) => {
    const chosen = chooseBackend({ id, ...wish }, fileBackend, options);
    // The check of shadows has reported this already; the type cannot know.
    if (chosen === undefined) throw noBackend({ agent: id });
    origins.set(id, chosen.origin);
    const { backend } = chosen;
    const model = modelOf(entry.model, chosen, options);
    const isScripted = options.traitsOf(backend)?.takes?.includes("script") === true;
    const turns = isScripted && script !== undefined ? { script: toJson(script, "a script") } : {};
    return {
      backend,
      ...present({ model, permissionMode }),
      settings: { ...turns, systemPrompt: task },
    };
  });
  return { specs, origins };
}

/** What decided on the backend of each agent of a checked file, by agent id. */
export function backendOrigins(
  value: unknown,
  options: LoadOptions,
): ReadonlyMap<string, BackendOrigin> {
  const file = readPatternFile(value);
  const fileBackend = file.backend ?? file.cli;
  const origins = agentOrigins(file, options);
  const agents = [...origins.keys()].map((id): AgentSpec => ({ id, backend: "" }));
  const shadows = resolveShadows(file.options?.shadow, { agents, fileBackend, options });
  return new Map([...origins, ...shadows.origins]);
}

/** What decided on the backend of each agent that a file declares. */
export function agentOrigins(
  file: Pick<PatternFile, "agents" | "backend" | "cli">,
  options: LoadOptions,
): ReadonlyMap<string, BackendOrigin> {
  const fileBackend = file.backend ?? file.cli;
  const { agents = [] } = file;
  const entries = Array.isArray(agents)
    ? agents.map((entry) => [entry.id, entry] as const)
    : Object.entries(agents);
  const origins = entries.flatMap(([id, { backend, cli, model }]) => {
    const chosen = chooseBackend({ id, backend: backend ?? cli, model }, fileBackend, options);
    return chosen === undefined ? [] : [[id, chosen.origin] as const];
  });
  return new Map(origins);
}
