import { z } from "zod";
import type { StepGuard } from "../../../contracts/ports/step-type.ts";
import { isRecord } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { configOf } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import type { OwnCode, UserStepType } from "../code/workflow-code.ts";
import { pluginInvalid, pluginUnloadable } from "./errors.ts";
import { importModule } from "./import-module.ts";
import { type PluginFile, pluginFiles } from "./plugin-files.ts";

const entry = z.looseObject({ name: z.string() });
const pluginSchema = z.object({
  stepTypes: z.array(z.custom<UserStepType>((given) => entry.safeParse(given).success)).optional(),
  guards: z.array(z.custom<StepGuard>((given) => entry.safeParse(given).success)).optional(),
});

const KEYS = ["stepTypes", "guards"];

/** The code of all plug-ins that may be loaded here. Raises CONFIG_INVALID, PLUGIN_UNLOADABLE, PLUGIN_INVALID. */
export async function loadPlugins(machine: Machine): Promise<OwnCode> {
  const files = pluginFiles(machine, await configOf(machine)).filter(({ isTrusted }) => isTrusted);
  const plugins = await Promise.all(files.map(loadPlugin));
  return {
    stepTypes: plugins.flatMap(({ stepTypes = [] }) => stepTypes),
    guards: plugins.flatMap(({ guards = [] }) => guards),
  };
}

/** The code of one plug-in. Raises PLUGIN_UNLOADABLE, PLUGIN_INVALID. */
export async function loadPlugin({ file }: Pick<PluginFile, "file">): Promise<OwnCode> {
  const module = await importPlugin(file);
  const invalid = (problem: string) => pluginInvalid({ file, problem });
  if (!isRecord(module)) throw invalid("it exports nothing");
  const given = Object.hasOwn(module, "default") ? module["default"] : module;
  if (!isRecord(given)) throw invalid("its default export is no object");
  if (!KEYS.some((key) => Object.hasOwn(given, key)))
    throw invalid("it exports neither stepTypes nor guards");
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (Object.hasOwn(module, "default") && unknown !== undefined)
    throw invalid(`its default export has "${unknown}", which is neither stepTypes nor guards`);
  const plugin = pluginSchema.safeParse(given);
  if (!plugin.success) throw invalid("stepTypes and guards are lists of objects with a name");
  const { stepTypes, guards } = plugin.data;
  return {
    ...present({ stepTypes, guards }),
  };
}

async function importPlugin(file: string): Promise<unknown> {
  try {
    return await importModule(file);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw pluginUnloadable({ file, problem }, { cause: error });
  }
}
