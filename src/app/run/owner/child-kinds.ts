import { builtInBackends } from "../../../agents/backends/registry.ts";
import type { ChildKinds } from "../../../agents/collab/collab-options.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { agentKey } from "../../../fold/state/agent-lookup.ts";
import type { AgentTypeFinder } from "../../../workflows/resolve/agent-type.ts";
import type { ConfigSettings } from "../../machine/config/config-settings.ts";

/** The kinds of agents that agents of a run may ask for. */
export function createChildKinds(
  definition: WorkflowDefinition,
  types: AgentTypeFinder,
  roles: NonNullable<ConfigSettings["roles"]> = {},
): ChildKinds {
  const { agents } = definition;
  const reserved = new Set(agents.map(({ id }) => agentKey(id)));
  // All of Troupe's permissions hold for these; of others only whoever wrote the workflow knows what they are.
  const driven = builtInBackends.filter((each) => each.isChosenByItself).map(({ name }) => name);
  const backends = [...new Set([...agents.map(({ backend }) => backend), ...driven])];
  return {
    find: async (asked) =>
      (await import("../../machine/effective/find-child-kind.ts")).findChildKind(
        asked,
        types,
        roles,
      ),
    isReserved: (id) => reserved.has(agentKey(id)),
    backends: () => backends,
  };
}
