import type { AgentSpec } from "../contracts/agent.ts";
import type { AgentBackend } from "../contracts/backend.ts";
import type { Host } from "../contracts/host.ts";

/** Whose processes get an environment. */
export interface EnvOwner {
  readonly spec: AgentSpec;
  readonly backend: AgentBackend;
  readonly host: Host;
}

/** The environment of an agent's processes, with what only some of them get over the rest. */
export function sessionEnv(
  { spec, backend, host }: EnvOwner,
  over: { readonly [name: string]: string } = {},
): { readonly [name: string]: string } {
  return host.baseEnv({ ...passedEnv(backend, host), ...givenEnv(spec, host), ...over });
}

/** What a backend's agents get of Troupe's own environment: keys and addresses of models. */
function passedEnv({ passes = [] }: AgentBackend, host: Host): Record<string, string> {
  const set = passes.map((name) => [name, host.variable(name)] as const);
  return Object.fromEntries(
    set.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** What the declaration of an agent gives to its processes. */
function givenEnv({ env = {}, envFrom = {} }: AgentSpec, host: Host): Record<string, string> {
  const given = Object.entries(envFrom).flatMap(([name, source]) => {
    const value = host.variable(source);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...env, ...Object.fromEntries(given) };
}
