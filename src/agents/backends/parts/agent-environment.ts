import type { AgentSpec } from "../../../contracts/agent.ts";
import type { Host } from "../../../contracts/host.ts";

/** The environment that an agent will get, as far as it can be told before its session is there. */
export function agentEnvironment(
  host: Pick<Host, "variable" | "baseEnv">,
  passes: readonly string[],
  { env = {}, envFrom = {} }: AgentSpec,
): { readonly [name: string]: string } {
  const sources = [...passes.map((name) => [name, name] as const), ...Object.entries(envFrom)];
  const set = sources.flatMap(([name, source]) => {
    const value = host.variable(source);
    return value === undefined ? [] : [[name, value] as const];
  });
  return host.baseEnv({ ...Object.fromEntries(set), ...env });
}
