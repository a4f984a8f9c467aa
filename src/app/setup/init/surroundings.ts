import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { allowedEnvironment } from "../../../host/environment.ts";
import { findProgram } from "../../../host/system/find-program.ts";
import { agentPrograms, CHOSEN_BY_THEMSELVES } from "../../machine/backends/agent-programs.ts";
import { type BackendState, lookUpBackend } from "../../machine/backends/backend-state.ts";
import { defaultModel } from "../../machine/backends/default-model.ts";
import type { ConfigSettings } from "../../machine/config/config-settings.ts";
import type { Environment } from "../../machine/place/project.ts";
import { findChecks, type HasProgram, type ProjectCheck } from "./project-checks.ts";

/** What `troupe init` finds in a directory and on the machine. */
export interface ProjectFacts {
  readonly isInGit: boolean;
  readonly checks: readonly ProjectCheck[];
  readonly notes: readonly string[];
  /** Backends whose programs are installed, those that are chosen by themselves first. */
  readonly agents: readonly BackendState[];
  /** What agents have that name no model and whose backend is Troupe's loop; undefined where no key is there. */
  readonly model?: string | undefined;
  readonly hasProgram: HasProgram;
}

/** Looks around. Runs nothing and writes nothing. */
export async function lookAround(
  cwd: string,
  { env, settings }: { readonly env: Environment; readonly settings: ConfigSettings },
): Promise<ProjectFacts> {
  const visible = allowedEnvironment(env, [], {});
  const hasProgram = (name: string) => findProgram(name, visible, cwd) !== undefined;
  const agents = await Promise.all(
    agentPrograms.map(({ backend }) => lookUpBackend(backend, { env, cwd, settings })),
  );
  return {
    isInGit: isBelow(cwd, ".git"),
    ...(await findChecks(cwd, hasProgram)),
    agents: agents.filter(({ program }) => program !== undefined),
    model: defaultModel({ env, settings }),
    hasProgram,
  };
}

/** The first agent that would be chosen by itself and is ready. */
export function readyAgent(agents: ProjectFacts["agents"]): BackendState | undefined {
  return agents.find(
    ({ backend, status }) => status === "ready" && CHOSEN_BY_THEMSELVES.includes(backend),
  );
}

function isBelow(directory: string, mark: string): boolean {
  if (existsSync(join(directory, mark))) return true;
  return dirname(directory) !== directory && isBelow(dirname(directory), mark);
}
