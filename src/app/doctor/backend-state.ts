import { builtInBackends, knownBackends } from "../../agents/backends/registry.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { allowedEnvironment } from "../../host/environment.ts";
import { findProgram } from "../../host/find-program.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import type { Environment } from "../project.ts";
import { type AgentProgram, agentPrograms } from "./agent-programs.ts";

/** What a backend needs and whether this machine has it; found out without starting anything. */
export interface BackendState {
  readonly backend: string;
  readonly status: "ready" | "missing" | "unsupported";
  /** Absolute path of its program, if it has one that was found. */
  readonly program?: string;
  readonly message: string;
  /** What to do next. */
  readonly hint?: string;
}

/** Where backends are looked for. */
export interface BackendSurroundings {
  readonly env: Environment;
  /** What a program that is written as a path counts from. */
  readonly cwd: string;
  readonly settings: ConfigSettings;
  /** Backends that this version can run. Defaults to those of the registry. */
  readonly supported?: readonly string[];
}

/** Finds out about a backend. Preflight, doctor and the choice of a default all ask here (AGT-14). */
export function lookUpBackend(backend: string, surroundings: BackendSurroundings): BackendState {
  const { supported = builtInBackends.map(({ name }) => name), settings } = surroundings;
  const isSupported = supported.includes(backend);
  const known = agentPrograms.find((candidate) => candidate.backend === backend);
  if (known !== undefined) return lookUpProgram(known, isSupported, surroundings);
  if (isSupported) return { backend, status: "ready", message: "part of troupe" };
  const names = [...knownBackends, ...Object.keys(settings.backends ?? {})];
  if (!names.includes(backend)) {
    const hint = didYouMean(backend, names);
    const message = `there is no backend "${backend}"`;
    return { backend, status: "missing", message, ...(hint === undefined ? {} : { hint }) };
  }
  const { type } = settings.backends?.[backend] ?? {};
  const what = type === undefined ? `${backend} agents` : `agents of type ${type}`;
  return { backend, status: "unsupported", message: `this version cannot run ${what} yet` };
}

function lookUpProgram(
  known: AgentProgram,
  isSupported: boolean,
  { env, cwd, settings }: BackendSurroundings,
): BackendState {
  const { backend, install, signIn } = known;
  const name = configuredProgram(settings.backends?.[backend]?.command) ?? known.program;
  const path = findProgram(name, allowedEnvironment(env, [], {}), cwd);
  const program = path === undefined ? {} : { program: path };
  if (!isSupported) {
    const found = path === undefined ? "" : ` (found: ${path})`;
    const message = `this version cannot run ${backend} agents yet${found}`;
    return { backend, status: "unsupported", ...program, message };
  }
  if (path === undefined) {
    const where = name.includes("/") ? "does not exist or is no program" : "is not on PATH";
    const message = `needs the command "${name}", which ${where}`;
    return { backend, status: "missing", message, hint: `install it: ${install}` };
  }
  return { backend, status: "ready", ...program, message: path, hint: `to sign in: ${signIn}` };
}

function configuredProgram(command: string | readonly string[] | undefined): string | undefined {
  return typeof command === "string" ? command : command?.[0];
}
