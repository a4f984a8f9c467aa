import type { LoadedFile } from "../../app/load-file.ts";
import { showProblems } from "../../app/show-problems.ts";
import type { Invocation } from "../command.ts";

/** Shows what is wrong or doubtful in a file that is to be run, with code frames, on standard error. */
export function tellProblems(loaded: LoadedFile, { io, settings }: Invocation): void {
  const { problems, file, source } = loaded;
  if (problems.length === 0) return;
  const text = showProblems(problems, "text", {
    sources: new Map([[file, source]]),
    style: settings.paintError,
  });
  io.stderr.write(`${text}\n`);
}
