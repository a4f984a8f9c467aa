import { z } from "zod";
import type { RouteTest } from "../../../contracts/ports/pattern.ts";
import type { StepGuard } from "../../../contracts/ports/step-type.ts";
import { isRecord } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { configOf } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import type { OwnCode, UserBackend, UserPattern, UserStepType } from "../code/workflow-code.ts";
import type { OriginOf } from "./check-code.ts";
import { pluginInvalid, pluginUnloadable } from "./errors.ts";
import { importModule } from "./import-module.ts";
import { type PluginFile, pluginFiles } from "./plugin-files.ts";

const entry = z.looseObject({ name: z.string() });
const isEntry = (given: unknown) => entry.safeParse(given).success;
const pluginSchema = z.object({
  stepTypes: z.array(z.custom<UserStepType>(isEntry)).optional(),
  guards: z.array(z.custom<StepGuard>(isEntry)).optional(),
  patterns: z.array(z.custom<UserPattern>(isEntry)).optional(),
  backends: z.array(z.custom<UserBackend>(isEntry)).optional(),
  routes: z.array(z.custom<RouteTest>(isEntry)).optional(),
});

const KEYS = Object.keys(pluginSchema.shape);
const NAMED_KEYS = `${KEYS.slice(0, -1).join(", ")} and ${KEYS.at(-1)}`;

/** The code of all plug-ins that may be loaded here, and where each piece came from. */
export interface PluginCode {
  readonly code: OwnCode;
  readonly originOf: OriginOf;
}

/** Loads all plug-ins that may be loaded here. Raises CONFIG_INVALID, PLUGIN_UNLOADABLE, PLUGIN_INVALID. */
export async function loadPlugins(machine: Machine): Promise<PluginCode> {
  const files = pluginFiles(machine, await configOf(machine)).filter(({ isTrusted }) => isTrusted);
  const origins = new Map<object, string>();
  const plugins = await Promise.all(
    files.map(async (plugin) => {
      const code = await loadPlugin(plugin);
      for (const item of piecesOf(code)) origins.set(item, plugin.file);
      return code;
    }),
  );
  return {
    code: {
      stepTypes: plugins.flatMap(({ stepTypes = [] }) => stepTypes),
      guards: plugins.flatMap(({ guards = [] }) => guards),
      patterns: plugins.flatMap(({ patterns = [] }) => patterns),
      backends: plugins.flatMap(({ backends = [] }) => backends),
      routes: plugins.flatMap(({ routes = [] }) => routes),
    },
    originOf: (item) => origins.get(item),
  };
}

/** All that a plug-in has. */
export function piecesOf({
  stepTypes = [],
  guards = [],
  patterns = [],
  backends = [],
  routes = [],
}: OwnCode): readonly { readonly name: string }[] {
  return [...stepTypes, ...guards, ...patterns, ...backends, ...routes];
}

/** The code of one plug-in. Raises PLUGIN_UNLOADABLE, PLUGIN_INVALID. */
export async function loadPlugin({ file }: Pick<PluginFile, "file">): Promise<OwnCode> {
  const module = await importPlugin(file);
  const invalid = (problem: string) => pluginInvalid({ file, problem });
  if (!isRecord(module)) throw invalid("it exports nothing");
  const given = Object.hasOwn(module, "default") ? module["default"] : module;
  if (!isRecord(given)) throw invalid("its default export is no object");
  if (!KEYS.some((key) => Object.hasOwn(given, key)))
    throw invalid(`it exports none of ${NAMED_KEYS}`);
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (Object.hasOwn(module, "default") && unknown !== undefined)
    throw invalid(`its default export has "${unknown}", which is none of ${NAMED_KEYS}`);
  const plugin = pluginSchema.safeParse(given);
  if (!plugin.success) throw invalid(`${NAMED_KEYS} are lists of objects with a name`);
  return present(plugin.data);
}

async function importPlugin(file: string): Promise<unknown> {
  try {
    return await importModule(file);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw pluginUnloadable({ file, problem }, { cause: error });
  }
}
