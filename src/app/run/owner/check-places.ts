import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem } from "../../../contracts/backend.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import type { Machine } from "../../machine/machine.ts";

/** The run for whose agents places are checked. */
interface CheckedRun {
  readonly run: string;
  /** False for a run that is resumed: its own branches and directories are there. */
  readonly isNew: boolean;
  readonly isUnsandboxed: boolean;
}

/** Checks the places of agents on this machine; looks for the sandbox once at the most. */
export function checkPlaces(
  { project, env }: Pick<Machine, "project" | "env">,
  host: GitHost,
  { run, isNew, isUnsandboxed }: CheckedRun,
): (spec: AgentSpec, backend: AgentBackend) => Promise<readonly BackendProblem[]> {
  let sandbox: Promise<string> | undefined;
  const ports = {
    host,
    cwd: project.cwd,
    home: env["HOME"] || homedir(),
    isUnsandboxed,
    run,
    runDirectory: isNew ? join(project.runsDirectory, run) : undefined,
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
  readonly run: string;
  /** Directory of a new run, absolute; undefined for one that is resumed. */
  readonly runDirectory: string | undefined;
  /** Raises HOST_SANDBOX_UNAVAILABLE where programs cannot be confined. */
  findSandbox(): Promise<unknown>;
}

/** What keeps an agent from having its place here. */
async function placeProblems(
  spec: AgentSpec,
  backend: AgentBackend,
  { host, cwd, home, isUnsandboxed, run, runDirectory, findSandbox }: PlaceCheckPorts,
): Promise<readonly BackendProblem[]> {
  const { isolation, constraints } = spec;
  // Most agents have no place of their own, and nothing to check it with is loaded for them.
  if (isolation === undefined && constraints?.network !== false) return [];
  const [{ sandboxProblem }, { assertRepository, assertNoClash }] = await Promise.all([
    import("../../../agents/places/confine-agent.ts"),
    import("../../../agents/places/worktree-place.ts"),
  ]);
  try {
    const place = { cwd: spec.cwd ?? cwd, home, isUnsandboxed };
    const problem = sandboxProblem(spec, backend, place);
    if (problem !== undefined) throw problem;
    if (isolation === "worktree") {
      const repository = await assertRepository(host, spec.id, place.cwd);
      assertNoClash(repository, { run, agent: spec.id, cwd: place.cwd, runDirectory });
    }
    if (isolation === "sandbox" && !isUnsandboxed) await findSandbox();
    return [];
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    return [hint === undefined ? { message } : { message, hint }];
  }
}
