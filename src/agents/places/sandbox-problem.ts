import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentBackend } from "../../contracts/backend.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { sandboxImpossible } from "./errors.ts";

/** What keeps an agent of this backend from being confined as its declaration says, wherever it runs. */
export function sandboxProblem(
  { id: agent, isolation, constraints = {} }: AgentSpec,
  backend: AgentBackend,
): TroupeError | undefined {
  const isSandboxed = isolation === "sandbox";
  if (isSandboxed && backend.runsInProcess === true) {
    const reason = `agents of backend ${backend.name} have no process of their own`;
    return sandboxImpossible({ agent, reason });
  }
  const usesModel = backend.metering !== "free";
  if (isSandboxed && usesModel && backend.modelAddresses === undefined) {
    const reason = `nobody knows which hosts backend ${backend.name} needs, and a sandbox lets through no others`;
    return sandboxImpossible({ agent, reason });
  }
  if (constraints.network !== false) return undefined;
  if (!isSandboxed) {
    const reason = "only a sandbox keeps it off the network: add isolation: sandbox";
    return sandboxImpossible({ agent, reason });
  }
  if (!usesModel) return undefined;
  const reason = `backend ${backend.name} reaches its model over the network; leave network: false to agents that use none, such as command`;
  return sandboxImpossible({ agent, reason });
}
