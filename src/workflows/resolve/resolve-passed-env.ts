import type { AgentSpec } from "../../contracts/agent.ts";

/** Names under a `passEnv`, where one is written. */
export type PassedNames = readonly string[] | undefined;

/** The names that a file and a part of it hand on, each once; undefined when there are none. */
export function passedNames(written: readonly PassedNames[]): readonly string[] | undefined {
  const names = new Set(written.flatMap((some) => some ?? []));
  return names.size === 0 ? undefined : [...names];
}

/** The variables that an agent's programs get under their own names; what its `env` sets it gets from there. */
export function resolvePassedEnv(
  env: AgentSpec["env"] = {},
  written: readonly PassedNames[],
): Pick<AgentSpec, "envFrom"> {
  const names = (passedNames(written) ?? []).filter((name) => !Object.hasOwn(env, name));
  return names.length === 0
    ? {}
    : { envFrom: Object.fromEntries(names.map((name) => [name, name])) };
}
