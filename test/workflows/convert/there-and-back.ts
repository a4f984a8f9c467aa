import { dirname, join } from "node:path";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { rewriteFile } from "../../../src/app/setup/convert/convert-file.ts";
import { loadFile } from "../../../src/app/workflow/load-file.ts";
import { writeRecipe } from "../../../src/app/workflow/shapes/run-recipe.ts";
import { evaluate } from "./written.ts";

/** All formats of workflows. */
export const FORMATS = ["yaml", "json", "ts"] as const;

/** The hash of the definition that a text stands for, or its problems. */
export async function hashOf(on: Machine, file: string, text: string): Promise<string> {
  const { definition, problems } = await loadFile(on, { file, text, backend: "script" });
  if (definition === undefined) return JSON.stringify(problems);
  return writeRecipe({ definition }).hash;
}

/** A file in another format, as a file again. */
export async function there(
  on: Machine,
  source: { readonly file: string; readonly text?: string },
  format: (typeof FORMATS)[number],
): Promise<{ readonly file: string; readonly text: string }> {
  const { text = "" } = await rewriteFile(on, source, format);
  const file = join(dirname(source.file), `converted.${format === "ts" ? "json" : format}`);
  return { file, text: format === "ts" ? JSON.stringify(await evaluate(text).toFile()) : text };
}
