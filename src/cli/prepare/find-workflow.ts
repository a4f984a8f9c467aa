import { statSync } from "node:fs";
import { join } from "node:path";
import type { FileRequest } from "../../app/load-file.ts";
import { templateNames } from "../../app/templates.ts";
import type { Invocation } from "../command.ts";
import { templateChosen } from "../errors.ts";
import { reportWarning } from "../report-error.ts";
import { inputPath, readStdin } from "./read-input.ts";

const MAX_FILE_BYTES = 1_048_576;
const ENDINGS = ["", ".yaml", ".yml", ".json", ".jsonc"];

/**
 * The workflow that the command line names: `-` for standard input, the name of a template, or a path. A
 * file wins over a template only if it is written with its ending or as a path. Raises FILE_NOT_TEXT,
 * FILE_INPUT_TOO_LARGE.
 */
export async function findWorkflow(
  given: string,
  invocation: Invocation,
): Promise<Pick<FileRequest, "file" | "text">> {
  const { io, settings } = invocation;
  if (given === "-") return { file: "<stdin>", text: await readStdin(io, MAX_FILE_BYTES) };
  if (!templateNames.includes(given)) return { file: inputPath(given, settings) };
  const file = ENDINGS.map((ending) => `./${given}${ending}`).find((path) =>
    isFile(join(settings.cwd, path)),
  );
  // A repository must not be able to take the place of what somebody named.
  if (file !== undefined) reportWarning(templateChosen({ template: given, file }), io, settings);
  return { file: given, text: `name: ${given}\ntemplate: ${given}\n` };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
