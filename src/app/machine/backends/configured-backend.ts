import type { AgentBackend, SessionRequest } from "../../../contracts/backend.ts";
import type { ConfigSettings } from "../config/config-settings.ts";

/**
 * The backend with the environment that the configuration gives its agents: over what they inherit, under what
 * the workflow says. The variable that holds its key is handed on, whatever the backend does with it.
 */
export function configuredBackend(
  backend: AgentBackend,
  { backends = {} }: ConfigSettings,
): AgentBackend {
  const own = Object.hasOwn(backends, backend.name) ? backends[backend.name] : undefined;
  const { env, apiKeyEnv } = own ?? {};
  const passes = [...(backend.passes ?? []), ...(apiKeyEnv === undefined ? [] : [apiKeyEnv])];
  const passing = passes.length === 0 ? backend : { ...backend, passes: [...new Set(passes)] };
  return env === undefined ? passing : withEnvironment(passing, env);
}

function withEnvironment(
  backend: AgentBackend,
  env: { readonly [name: string]: string },
): AgentBackend {
  const { account, interactive, modelAddresses } = backend;
  const complete = <Request extends Pick<SessionRequest, "spec" | "env">>(request: Request) => ({
    ...request,
    env: { ...request.env, ...env, ...request.spec.env },
  });
  return {
    ...backend,
    check: (spec) => backend.check({ ...spec, env: { ...env, ...spec.env } }),
    open: (request) => backend.open(complete(request)),
    ...(modelAddresses === undefined
      ? {}
      : { modelAddresses: (given) => modelAddresses({ ...given, ...env }) }),
    ...(account === undefined ? {} : { account: (request) => account(complete(request)) }),
    ...(interactive === undefined
      ? {}
      : { interactive: (request) => interactive(complete(request)) }),
  };
}
