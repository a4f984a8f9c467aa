import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { readInput } from "./read-input.ts";

/** The task of a run, from the command line, a file or standard input. Raises USAGE_INVALID, FILE_* errors. */
export async function readTask(
  given: { readonly task: string | undefined; readonly taskFile: string | undefined },
  invocation: Invocation,
): Promise<string | undefined> {
  const { task, taskFile } = given;
  if (taskFile === undefined) return task;
  if (task !== undefined)
    throw usageInvalid({ problem: "the task is given twice: as an argument and by --task-file" });
  const text = await readInput(taskFile, invocation);
  return text.replace(/\r?\n$/, "");
}
