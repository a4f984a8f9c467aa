import { isRecord } from "../../../foundation/json.ts";
import type { Machine } from "../../machine/machine.ts";
import { importModule } from "../../workflow/plugins/import-module.ts";
import { moduleUnloadable, moduleWithoutWorkflow } from "./errors.ts";

/** Formats of workflow files. */
export type FileFormat = "yaml" | "json" | "ts";

/** What the library makes of a workflow that is written in code. */
interface WrittenWorkflow {
  toYaml(): Promise<string>;
  toJson(): Promise<string>;
  toTypeScript(): Promise<string>;
  build(options: { readonly troupe: Machine; readonly backend: string }): Promise<unknown>;
}

/** Whether a file is a module in which a workflow may be written. */
export function isModule(file: string): boolean {
  return /\.[cm]?[jt]s$/i.test(file);
}

/**
 * The workflow that a module exports, as a text in a format. The module is run: whoever names it agrees. Raises
 * WORKFLOW_MODULE_UNLOADABLE, WORKFLOW_MODULE_EMPTY and WORKFLOW_INVALID.
 */
export async function convertModule(
  machine: Machine,
  file: string,
  format: FileFormat,
): Promise<string> {
  const written = await loadWritten(file);
  // Whatever this machine has: only the text is wanted.
  await written.build({ troupe: machine, backend: "script" });
  if (format === "yaml") return written.toYaml();
  return format === "json" ? written.toJson() : written.toTypeScript();
}

async function loadWritten(file: string): Promise<WrittenWorkflow> {
  const module = await importModule(file).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error);
    throw moduleUnloadable({ file, problem }, { cause: error });
  });
  const exported = isRecord(module) ? [module["default"], module["workflow"]] : [];
  const found = exported.find(isWritten);
  if (found === undefined) throw moduleWithoutWorkflow({ file });
  return found;
}

/** By its methods: the module may have its own copy of the library. */
function isWritten(value: unknown): value is WrittenWorkflow {
  const methods = ["build", "toFile", "toYaml", "toJson", "toTypeScript"];
  return isRecord(value) && methods.every((method) => typeof value[method] === "function");
}
