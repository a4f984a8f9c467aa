import { parseDuration } from "../../../foundation/duration.ts";
import type { AgentDefaults, LoadOptions } from "../../../workflows/resolve/load-options.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import type { Machine } from "../machine.ts";
import { chooseDefaultBackend } from "./default-backend.ts";

/** What the configuration decides about a workflow file that says nothing itself. */
export function configuredOptions(
  { env, project }: Pick<Machine, "env" | "project">,
  settings: ConfigSettings,
): Pick<
  LoadOptions,
  "defaultBackend" | "agentDefaults" | "defaultTimeoutMs" | "defaultMaxConcurrency"
> {
  const { timeout, maxConcurrency } = settings.defaults ?? {};
  const { backend } = chooseDefaultBackend({ env, cwd: project.cwd, settings });
  return {
    defaultBackend: backend,
    agentDefaults: agentDefaults(settings),
    ...(timeout === undefined ? {} : { defaultTimeoutMs: parseDuration(timeout) }),
    ...(maxConcurrency === undefined ? {} : { defaultMaxConcurrency: maxConcurrency }),
  };
}

function agentDefaults({ defaults = {}, backends = {} }: ConfigSettings): AgentDefaults {
  const { model, permissionMode } = defaults;
  const models = Object.entries(backends).flatMap(([name, backend]) =>
    backend.model === undefined ? [] : [[name, backend.model] as const],
  );
  return {
    models: Object.fromEntries(models),
    ...(model === undefined ? {} : { model }),
    // An agent without a mode asks already.
    ...(permissionMode === undefined || permissionMode === "ask" ? {} : { permissionMode }),
  };
}
