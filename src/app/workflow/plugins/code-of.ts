import { present } from "../../../foundation/present.ts";
import { configOf } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import { NO_CODE, type OwnCode, type WorkflowCode } from "../code/workflow-code.ts";
import type { PluginCode } from "./load-plugins.ts";

/**
 * What workflows may use beyond what troupe has: the plug-ins of the configuration and what was given in code. Without
 * either nothing is loaded. Raises CONFIG_INVALID, PLUGIN_UNLOADABLE, PLUGIN_INVALID, WORKFLOW_STEP_TYPE_INVALID,
 * WORKFLOW_GUARD_INVALID, WORKFLOW_PATTERN_INVALID, WORKFLOW_BACKEND_INVALID,
 * HANDOFF_ROUTE_INVALID.
 */
export async function codeOf(machine: Machine, own: OwnCode = {}): Promise<WorkflowCode> {
  const { settings } = await configOf(machine);
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
  return checkCode(
    {
      stepTypes: joined(code.stepTypes, stepTypes),
      guards: joined(code.guards, guards),
      patterns: joined(code.patterns, patterns),
      backends: joined(code.backends, backends),
      routes: joined(code.routes, routes),
    },
    originOf,
  );
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
