import { statSync } from "node:fs";
import { basename, extname, join, relative, resolve } from "node:path";
import type { FileRequest } from "../../app/workflow/load-file.ts";
import { openRegistry } from "../../app/workflow/registry/workflow-registry.ts";
import { templateNames } from "../../app/workflow/templates.ts";
import { isDuration } from "../../foundation/duration.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import type { Invocation } from "../command/command.ts";
import { templateChosen, usageInvalid } from "../command/errors.ts";
import { reportWarning } from "../command/report-error.ts";
import { inputPath, readStdin } from "./read-input.ts";

const MAX_FILE_BYTES = 1_048_576;
const CONDITION = /^[1-9]\d*(s|m|h|d)?$/;
const MOST_ITERATIONS = 100_000;
/** Its iterations bound it. */
const UNBOUNDED = { max_duration_ms: 365 * 86_400_000, max_errors: MOST_ITERATIONS };
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

/** Whether a text says how often or how long: `5`, `30m`, `2h`. */
export function isCondition(text: string): boolean {
  return CONDITION.test(text);
}

/** A workflow that is to be repeated. */
export interface Repetition {
  readonly workflow: Pick<FileRequest, "file" | "text">;
  /** How often or how long, as people write it. */
  readonly condition: string;
  /** Absolute directory where it is asked for. */
  readonly cwd: string;
}

/**
 * The step workflow that carries out another one again and again, each time as a child run that is given all of its
 * input. Raises USAGE_INVALID.
 */
export function repeatedWorkflow({
  workflow,
  condition,
  cwd,
}: Repetition): Pick<FileRequest, "file" | "text"> {
  const { file, text } = workflow;
  if (!isCondition(condition))
    throw usageInvalid({
      problem: `"${condition}" is no number of iterations and no time`,
      hint: "write --iter 5, --iter 30m or --iter 2h",
    });
  if (!isDuration(condition) && Number(condition) > MOST_ITERATIONS)
    throw usageInvalid({ problem: `--iter takes ${MOST_ITERATIONS} iterations at most` });
  if (text !== undefined)
    throw usageInvalid({
      problem: `--iter repeats the file of a workflow, and ${file} is none`,
      hint: 'name a file; one agent is repeated by: troupe iter 5 "TASK" --agent NAME',
    });
  const bound = isDuration(condition) ? { duration: condition } : { times: Number(condition) };
  const child = { id: "iteration", type: "workflow", file: relative(cwd, resolve(cwd, file)) };
  const series = { id: "iterations", type: "loop", ...bound, on_failure: "continue" };
  const whole = {
    ...{ id: `${nameOf(file)}-iter`, ...UNBOUNDED },
    steps: [{ ...series, steps: [child] }],
  };
  return { file: `${file} --iter`, text: JSON.stringify(whole) };
}

function nameOf(file: string): string {
  const name = basename(file, extname(file)).replace(/[^\w-]+/g, "-");
  return /^[a-z]/i.test(name) ? name : `file-${name}`;
}
