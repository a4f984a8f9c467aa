import { describeBackend } from "../../../agents/backends/registry.ts";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import { shortened } from "../config/config-doubts.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import { agentConfigNotTrusted, agentsUnasked } from "../config/errors.ts";
import { leftOutFiles, type TrustSurroundings } from "./agent-trust.ts";

/** What is doubtful about the agents of a run here, one short warning each. */
export function agentDoubts(
  machine: TrustSurroundings,
  settings: ConfigSettings,
  agents: readonly Pick<AgentSpec, "id" | "backend" | "cwd" | "permissionMode">[],
): readonly TroupeError[] {
  const leftOut = leftOutFiles(machine, settings, agents).map(({ path }) => path);
  const unasked = agents
    .filter(({ backend, permissionMode }) => permissionMode === "bypass" && asks(backend))
    .map(({ id }) => id);
  return [
    ...(leftOut.length === 0 ? [] : [agentConfigNotTrusted({ files: shortened(leftOut) })]),
    ...(unasked.length === 0 ? [] : [agentsUnasked({ agents: shortened(unasked) })]),
  ];
}

/** Whether agents of a backend ask for anything: programs of one's own, functions and people do not. */
function asks(backend: string): boolean {
  return describeBackend(backend)?.worker === undefined;
}
