import { statSync } from "node:fs";
import { join, relative } from "node:path";
import type { FileRequest } from "../../app/workflow/load-file.ts";
import { openRegistry } from "../../app/workflow/registry/workflow-registry.ts";
import { templateNames } from "../../app/workflow/templates.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import type { Invocation } from "../command/command.ts";
import { templateChosen } from "../command/errors.ts";
import { reportWarning } from "../command/report-error.ts";
import { inputPath, readStdin } from "./read-input.ts";

const MAX_FILE_BYTES = 1_048_576;
const ENDINGS = ["", ".yaml", ".yml", ".json", ".jsonc"];

/**
 * The workflow that the command line names: `-` for standard input, the name of a template, a path, or the id of
 * a workflow of the project. A file wins over a template only if it is written with its ending or as a path.
 * Raises FILE_NOT_TEXT, FILE_INPUT_TOO_LARGE, CONFIG_INVALID and what a registry raises.
 */
export async function findWorkflow(
  given: string,
  invocation: Invocation,
): Promise<Pick<FileRequest, "file" | "text">> {
  const { io, settings } = invocation;
  if (given === "-") return { file: "<stdin>", text: await readStdin(io, MAX_FILE_BYTES) };
  if (!templateNames.includes(given)) return { file: await findFile(given, invocation) };
  const file = ENDINGS.map((ending) => `./${given}${ending}`).find((path) =>
    isFile(join(settings.cwd, path)),
  );
  // A repository must not be able to take the place of what somebody named.
  if (file !== undefined) reportWarning(templateChosen({ template: given, file }), io, settings);
  return { file: given, text: `name: ${given}\ntemplate: ${given}\n` };
}

async function findFile(given: string, { io, settings, options }: Invocation): Promise<string> {
  const file = inputPath(given, settings);
  if (!ID_PATTERN.test(given) || isFile(join(settings.cwd, given))) return file;
  const trusts = options["trust"] === true;
  const registry = await openRegistry({ cwd: settings.cwd, env: io.env, trustsProject: trusts });
  const found = registry.find(given);
  return found === undefined ? file : inputPath(relative(settings.cwd, found.file), settings);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
