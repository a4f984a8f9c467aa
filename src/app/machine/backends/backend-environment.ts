import type { AgentBackend } from "../../../contracts/backend.ts";
import { allowedEnvironment, namedVariable } from "../../../host/environment.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import type { Environment } from "../place/project.ts";

/** What agents of a backend get of an environment before their workflow says anything (AGT-11). */
export function backendEnvironment(
  name: string,
  { passes = [] }: Pick<AgentBackend, "passes">,
  { env, settings }: { readonly env: Environment; readonly settings: ConfigSettings },
): { readonly [name: string]: string } {
  const passed = passes.flatMap((variable) => {
    const value = namedVariable(env, variable);
    return value === undefined ? [] : [[variable, value]];
  });
  const { backends = {}, env: { allow = [] } = {} } = settings;
  const configured = Object.hasOwn(backends, name) ? backends[name]?.env : undefined;
  return allowedEnvironment(env, allow, { ...Object.fromEntries(passed), ...configured });
}
