import { configOf } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import { NO_CODE, type OwnCode, type WorkflowCode } from "../code/workflow-code.ts";

/**
 * What step workflows may use beyond what troupe has: the plug-ins of the configuration and what was given in
 * code. Without either nothing is loaded. Raises CONFIG_INVALID, PLUGIN_UNLOADABLE, PLUGIN_INVALID,
 * WORKFLOW_STEP_TYPE_INVALID, WORKFLOW_GUARD_INVALID.
 */
export async function codeOf(machine: Machine, own: OwnCode = {}): Promise<WorkflowCode> {
  const { settings } = await configOf(machine);
  const hasPlugins = (settings.plugins ?? []).length > 0;
  const { stepTypes = [], guards = [] } = own;
  if (!hasPlugins && stepTypes.length === 0 && guards.length === 0) return NO_CODE;
  const loading: Promise<OwnCode> | OwnCode = hasPlugins
    ? import("./load-plugins.ts").then(({ loadPlugins }) => loadPlugins(machine))
    : {};
  const [{ checkCode }, { builtInStepTypes }, plugins] = await Promise.all([
    import("./check-code.ts"),
    import("../../../programs/steps/registry.ts"),
    loading,
  ]);
  // Whoever gives one in code means that one, also where a plug-in has it too.
  const given = (items: readonly { readonly name: string }[]) =>
    new Set(items.map(({ name }) => name));
  const [ownTypes, ownGuards] = [given(stepTypes), given(guards)];
  return checkCode(
    {
      stepTypes: [
        ...(plugins.stepTypes ?? []).filter(({ name }) => !ownTypes.has(name)),
        ...stepTypes,
      ],
      guards: [...(plugins.guards ?? []).filter(({ name }) => !ownGuards.has(name)), ...guards],
    },
    builtInStepTypes.map(({ name }) => name),
  );
}
