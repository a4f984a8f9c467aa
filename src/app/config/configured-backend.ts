import type { AgentBackend } from "../../contracts/backend.ts";
import type { ConfigSettings } from "./config-settings.ts";

/** The backend with the environment that the configuration gives its agents: over what they inherit, under what the workflow says. */
export function configuredBackend(
  backend: AgentBackend,
  { backends }: ConfigSettings,
): AgentBackend {
  const env = backends?.[backend.name]?.env;
  if (env === undefined) return backend;
  return {
    ...backend,
    check: (spec) => backend.check({ ...spec, env: { ...env, ...spec.env } }),
    open: (request) =>
      backend.open({ ...request, env: { ...request.env, ...env, ...request.spec.env } }),
  };
}
