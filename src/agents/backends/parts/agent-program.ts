import type { AgentSpec } from "../../../contracts/agent.ts";
import { isRecord } from "../../../foundation/json.ts";
import { findProgram } from "../../../host/system/find-program.ts";
import type { BackendSettings } from "./backend-settings.ts";
import { programNotFound } from "./errors.ts";

/** Where an agent's program is looked for. */
export interface ProgramSearch {
  readonly spec: AgentSpec;
  readonly settings: BackendSettings | undefined;
  /** What runs where the configuration names nothing. */
  readonly program: string;
  readonly env: { readonly [name: string]: string };
  /** What a program that is written as a path counts from. */
  readonly cwd: string;
}

/**
 * Program and first arguments of an agent: what the configuration names, then its `args`, then those of the
 * agent. The program comes absolute. Raises BACKEND_NOT_FOUND.
 */
export function findAgentProgram(search: ProgramSearch): readonly [string, ...string[]] {
  const { spec, settings, env, cwd } = search;
  const { command = search.program, args = [] } = settings ?? {};
  const [program = search.program, ...first] = typeof command === "string" ? [command] : command;
  const file = findProgram(program, env, cwd);
  if (file === undefined) throw programNotFound({ agent: spec.id, program });
  return [file, ...first, ...args, ...textsOf(spec, "args")];
}

/** A setting of an agent that is a list of texts; empty where it is none. */
export function textsOf({ settings }: AgentSpec, name: string): readonly string[] {
  const value: unknown = isRecord(settings) ? settings[name] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A setting of an agent that is a text; undefined where there is none. */
export function textSetting({ settings }: AgentSpec, name: string): string | undefined {
  const value = settings?.[name];
  return typeof value === "string" ? value : undefined;
}
