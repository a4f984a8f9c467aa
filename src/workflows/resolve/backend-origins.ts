import type { AgentSpec } from "../../contracts/agent.ts";
import { type PatternFile, readPatternFile } from "../schema/pattern-file-schema.ts";
import type { LoadOptions } from "./load-options.ts";
import { type BackendOrigin, chooseBackend } from "./resolve-backend.ts";
import { resolveShadows } from "./resolve-shadows.ts";

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
