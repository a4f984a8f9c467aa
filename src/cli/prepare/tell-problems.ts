import { areHarmless, showProblems } from "../../app/catalogue/show-problems.ts";
import type { LoadedFile } from "../../app/workflow/load-file.ts";
import type { Invocation } from "../command/command.ts";
import { paintCalled } from "../command/suggested-commands.ts";

/**
 * Shows what is wrong or doubtful in a file that is to be run, with code frames, on standard error; with
 * `--json` as the document of `validate --json`, in one line: on standard output if nothing else can come
 * there, because the command prints one document and the file is wrong.
 */
export async function tellProblems(
  loaded: LoadedFile,
  { io, settings }: Invocation,
): Promise<void> {
  const { problems, file, source } = loaded;
  if (problems.length === 0) return;
  if (settings.errorForm !== "text") {
    const isDocument = settings.errorForm === "document" && !areHarmless(problems);
    const output = isDocument ? io.stdout : io.stderr;
    output.write(`${await showProblems(problems, "json", { sources: new Map() })}\n`);
    return;
  }
  const text = await showProblems(problems, "text", {
    sources: new Map([[file, source]]),
    style: paintCalled(settings.paintError),
  });
  io.stderr.write(`${text}\n`);
}
