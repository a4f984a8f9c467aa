import type { AgentSpec } from "../../../contracts/agent.ts";
import type { BackendProblem } from "../../../contracts/backend.ts";
import { createHost } from "../../../host/host.ts";
import { openBackends } from "../../machine/backends/backend-shelf.ts";
import { configOf } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import { codeOf } from "../../workflow/plugins/code-of.ts";

/** What an agent is like as its backend knows it. */
export interface AgentLook {
  /** Whether a model is behind it, so that its model, mode and tools mean something. */
  readonly asksModel: boolean;
  /** Whether its session can be made shorter from outside. */
  readonly canCompact: boolean;
  /** What keeps it from working as it is described. */
  readonly problems: readonly BackendProblem[];
}

/** Asks the backend of an agent about it; nothing is started. Raises what codeOf raises. */
export async function lookAtAgent(machine: Machine, spec: AgentSpec): Promise<AgentLook> {
  const { clock, env } = machine;
  const { settings } = await configOf(machine);
  const { backends: own } = await codeOf(machine);
  const host = createHost({ run: "", clock, env, allowEnv: settings.env?.allow ?? [] });
  // Functions and modules are no models, and what they hold is not run to find that out.
  const importModule = (path: string) =>
    Promise.reject(new Error(`nothing of ${path} is run here`));
  const parts = { host, clock, functions: new Map(), importModule, own, cassette: undefined };
  try {
    const backend = await (await openBackends(parts, settings)).load(spec.backend);
    const asksModel = backend.metering !== "free" && backend.isPerson !== true;
    const problems = asksModel ? await backend.check(spec) : [];
    return { asksModel, canCompact: backend.canCompact === true, problems };
  } finally {
    await host.close();
  }
}
