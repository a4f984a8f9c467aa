import { knownBackends } from "../../../agents/backends/registry.ts";
import { didYouMean } from "../../../foundation/near-names.ts";
import { present } from "../../../foundation/present.ts";
import type { Config } from "../../machine/config/config.ts";
import { configValue } from "../../machine/config/errors.ts";
import { configOf, configuredBackends } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import { NO_CODE, type OwnCode, type WorkflowCode } from "../code/workflow-code.ts";
import type { PluginCode } from "./load-plugins.ts";

/**
 * What workflows may use beyond what troupe has: the plug-ins of the configuration and what was given in code. Without
 * either nothing is loaded. Raises CONFIG_INVALID, CONFIG_VALUE, PLUGIN_UNLOADABLE, PLUGIN_INVALID, WORKFLOW_STEP_TYPE_INVALID,
 * WORKFLOW_GUARD_INVALID, WORKFLOW_PATTERN_INVALID, WORKFLOW_BACKEND_INVALID,
 * HANDOFF_ROUTE_INVALID.
 */
export async function codeOf(machine: Machine, own: OwnCode = {}): Promise<WorkflowCode> {
  const config = await configOf(machine);
  const { settings } = config;
  const hasPlugins = (settings.plugins ?? []).length > 0;
  const { stepTypes = [], guards = [], patterns = [], backends = [], routes = [] } = own;
  const isEmpty = [stepTypes, guards, patterns, backends, routes].every(
    ({ length }) => length === 0,
  );
  if (!hasPlugins && isEmpty) return NO_CODE;
  const loading: Promise<PluginCode> | PluginCode = hasPlugins
    ? import("./load-plugins.ts").then(({ loadPlugins }) => loadPlugins(machine))
    : { code: {}, originOf: () => undefined };
  const [{ checkCode }, { code, originOf }] = await Promise.all([
    import("./check-code.ts"),
    loading,
  ]);
  const checked = checkCode(
    {
      stepTypes: joined(code.stepTypes, stepTypes),
      guards: joined(code.guards, guards),
      patterns: joined(code.patterns, patterns),
      backends: joined(code.backends, backends),
      routes: joined(code.routes, routes),
    },
    originOf,
  );
  // Without plug-ins that was seen when the configuration was read.
  if (hasPlugins) assertNamedBackends(config, checked.backends);
  return checked;
}

/** Raises CONFIG_VALUE. */
function assertNamedBackends(config: Config, own: WorkflowCode["backends"]): void {
  const { values } = config;
  const known = [...knownBackends, ...configuredBackends(config), ...own.map(({ name }) => name)];
  for (const { path, value, origin } of values) {
    const [top, , third] = path;
    const isNamed =
      path.join(".") === "defaults.backend" || (top === "roles" && third === "backend");
    if (!isNamed || typeof value !== "string" || known.includes(value)) continue;
    const message = `${path.join(".")} is "${value}", which is no backend, and no plug-in has it`;
    const { file, line } = origin;
    throw configValue(
      { message, ...present({ hint: didYouMean(value, known) }) },
      present({ file, line }),
    );
  }
}

/** Whoever gives one in code means that one, also where a plug-in has it too. */
function joined<Item extends { readonly name: string }>(
  ofPlugins: readonly Item[] = [],
  given: readonly Item[],
): readonly Item[] {
  const names = new Set(given.map(({ name }) => name));
  return [...ofPlugins.filter(({ name }) => !names.has(name)), ...given];
}

/** The code that somebody was given, in one group, to hand it on. */
export function ownCode({ stepTypes, guards, patterns, backends, routes }: OwnCode): OwnCode {
  return present({ stepTypes, guards, patterns, backends, routes });
}
