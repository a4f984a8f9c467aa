import { homedir } from "node:os";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem } from "../../../contracts/backend.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import type { Machine } from "../../machine/machine.ts";

/** Checks the places of agents on this machine; looks for the sandbox once at the most. */
export function checkPlaces(
  { project, env }: Pick<Machine, "project" | "env">,
  host: GitHost,
  isUnsandboxed: boolean,
): (spec: AgentSpec, backend: AgentBackend) => Promise<readonly BackendProblem[]> {
  let sandbox: Promise<string> | undefined;
  const ports = {
    host,
    cwd: project.cwd,
    home: env["HOME"] || homedir(),
    isUnsandboxed,
    findSandbox: () => {
      sandbox ??= import("../../../host/sandbox/sandbox.ts").then(({ findSandbox }) =>
        findSandbox(env["PATH"]),
      );
      return sandbox;
    },
  };
  return (spec, backend) => placeProblems(spec, backend, ports);
}

/** What a place is checked with, before anything starts. */
interface PlaceCheckPorts {
  readonly host: GitHost;
  /** Directory of agents that name none, absolute. */
  readonly cwd: string;
  /** The user's home, absolute. */
  readonly home: string;
  /** Whether sandboxes are left out because somebody said so. */
  readonly isUnsandboxed: boolean;
  /** Raises HOST_SANDBOX_UNAVAILABLE where programs cannot be confined. */
  findSandbox(): Promise<unknown>;
}

/** What keeps an agent from having its place here. */
async function placeProblems(
  spec: AgentSpec,
  backend: AgentBackend,
  { host, cwd, home, isUnsandboxed, findSandbox }: PlaceCheckPorts,
): Promise<readonly BackendProblem[]> {
  const { isolation, constraints } = spec;
  // Most agents have no place of their own, and nothing to check it with is loaded for them.
  if (isolation === undefined && constraints?.network !== false) return [];
  const [{ sandboxProblem }, { assertRepository }] = await Promise.all([
    import("../../../agents/places/confine-agent.ts"),
    import("../../../agents/places/worktree-place.ts"),
  ]);
  try {
    const place = { cwd: spec.cwd ?? cwd, home, isUnsandboxed };
    const problem = sandboxProblem(spec, backend, place);
    if (problem !== undefined) throw problem;
    if (isolation === "worktree") await assertRepository(host, spec.id, place.cwd);
    if (isolation === "sandbox" && !isUnsandboxed) await findSandbox();
    return [];
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    return [hint === undefined ? { message } : { message, hint }];
  }
}
