import { homedir } from "node:os";
import { placeProblems } from "../../../agents/places/check-place.ts";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem } from "../../../contracts/backend.ts";
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
