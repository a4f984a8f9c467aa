import { z } from "zod";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentFunction } from "../../../contracts/agent-function.ts";
import { isRecord } from "../../../foundation/json.ts";
import { moduleInvalid, settingsInvalid } from "../parts/errors.ts";

/** Where the functions of agents come from. */
export interface FunctionSources {
  /** Functions given in code, by agent id; they beat `module`. */
  readonly functions: ReadonlyMap<string, AgentFunction>;
  /** Loads a module by its absolute path. */
  readonly importModule: (specifier: string) => Promise<unknown>;
}

const settingsSchema = z.object({ module: z.string().optional() });

/**
 * The function of an agent: the one given in code, else the export that `module: path#export` names.
 * Raises BACKEND_SETTINGS_INVALID when there is neither, BACKEND_MODULE_INVALID.
 */
export async function findFunction(
  spec: AgentSpec,
  { functions, importModule }: FunctionSources,
): Promise<AgentFunction> {
  const inline = functions.get(spec.id);
  if (inline !== undefined) return inline;
  const { data } = settingsSchema.safeParse(spec.settings ?? {});
  if (data?.module === undefined)
    throw settingsInvalid({ agent: spec.id, problem: "expected `module: path#export`" });
  const { module } = data;
  const hash = module.lastIndexOf("#");
  const [path, name] = [module.slice(0, hash), module.slice(hash + 1)];
  const invalid = (problem: string, cause?: unknown) =>
    moduleInvalid({ agent: spec.id, module, problem }, { cause });
  if (hash < 1 || name === "") throw invalid("names no export");
  const exported = await load(path, importModule, invalid);
  const found = isRecord(exported) && Object.hasOwn(exported, name) ? exported[name] : undefined;
  if (!isFunction(found)) throw invalid(`exports no function "${name}"`);
  return found;
}

async function load(
  path: string,
  importModule: FunctionSources["importModule"],
  invalid: (problem: string, cause: unknown) => Error,
): Promise<unknown> {
  try {
    return await importModule(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(`cannot be loaded: ${reason}`, error);
  }
}

function isFunction(value: unknown): value is AgentFunction {
  return typeof value === "function";
}
