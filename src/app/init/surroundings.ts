import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtInBackends } from "../../agents/backends/registry.ts";
import { allowedEnvironment } from "../../host/environment.ts";
import { findProgram } from "../../host/find-program.ts";
import type { Environment } from "../project.ts";
import { findChecks, type HasProgram, type ProjectCheck } from "./project-checks.ts";

/** What `troupe init` finds in a directory and on the machine. */
export interface Surroundings {
  readonly isInGit: boolean;
  readonly checks: readonly ProjectCheck[];
  readonly notes: readonly string[];
  /** Programs that are agents, by the backend that runs them. */
  readonly agents: readonly AgentProgram[];
  readonly hasProgram: HasProgram;
}

/** The program of an agent that is on PATH. */
export interface AgentProgram {
  readonly backend: string;
  readonly program: string;
  /** Whether this version of troupe can run it. */
  readonly isSupported: boolean;
}

const AGENT_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["claude", "claude"],
  ["codex", "codex"],
  ["gemini", "gemini"],
  ["opencode", "opencode"],
  ["cursor", "cursor-agent"],
  ["aider", "aider"],
  ["goose", "goose"],
]);

/** Looks around. Runs nothing and writes nothing. */
export async function lookAround(cwd: string, env: Environment): Promise<Surroundings> {
  const visible = allowedEnvironment(env, [], {});
  const hasProgram = (name: string) => findProgram(name, visible, cwd) !== undefined;
  const supported = new Set(builtInBackends.map(({ name }) => name));
  return {
    isInGit: isBelow(cwd, ".git"),
    ...(await findChecks(cwd, hasProgram)),
    agents: [...AGENT_PROGRAMS]
      .filter(([, program]) => hasProgram(program))
      .map(([backend, program]) => ({ backend, program, isSupported: supported.has(backend) })),
    hasProgram,
  };
}

function isBelow(directory: string, mark: string): boolean {
  if (existsSync(join(directory, mark))) return true;
  return dirname(directory) !== directory && isBelow(dirname(directory), mark);
}
