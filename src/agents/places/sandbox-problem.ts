import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentBackend } from "../../contracts/backend.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { realPlace } from "../../host/sandbox/real-paths.ts";
import { isBelow } from "../../host/sandbox/sandbox-mounts.ts";
import { sandboxImpossible } from "./errors.ts";

/** Where an agent is to be confined. */
export interface SandboxPlace {
  /** Directory of the agent, absolute. */
  readonly cwd: string;
  /** The user's home, absolute. */
  readonly home: string;
  /** Whether sandboxes are left out because somebody said so. */
  readonly isUnsandboxed: boolean;
}

/** What keeps an agent of this backend from being confined there as its declaration says. */
export function sandboxProblem(
  { id: agent, isolation, constraints = {} }: AgentSpec,
  backend: AgentBackend,
  place: SandboxPlace,
): TroupeError | undefined {
  const isSandboxed = isolation === "sandbox";
  const reason =
    (isSandboxed ? confinementProblem(backend, place) : undefined) ??
    (constraints.network === false ? networkProblem(backend, isSandboxed) : undefined);
  return reason === undefined ? undefined : sandboxImpossible({ agent, reason });
}

function confinementProblem(
  { name, runsInProcess = false, livesInSandbox = false }: AgentBackend,
  { cwd, home, isUnsandboxed }: SandboxPlace,
): string | undefined {
  if (runsInProcess) return `agents of backend ${name} have no process of their own`;
  if (isUnsandboxed) return undefined;
  if (!livesInSandbox)
    return `the program of backend ${name} is not known to work in one; those of command, script, acp, claude, codex and gemini are`;
  if (isBelow(realPlace(home), realPlace(cwd)))
    return `its directory ${cwd} holds the home directory, which a sandbox hides; work in a directory below`;
  return undefined;
}

function networkProblem(
  { name, metering }: AgentBackend,
  isSandboxed: boolean,
): string | undefined {
  if (!isSandboxed) return "only a sandbox keeps it off the network: add isolation: sandbox";
  if (metering === "free") return undefined;
  return `backend ${name} reaches its model over the network; leave network: false to agents that use none, such as command`;
}
