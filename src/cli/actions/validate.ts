import { areHarmless, showProblems, toProblem } from "../../app/catalogue/show-problems.ts";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import { loadFile } from "../../app/workflow/load-file.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { paintCalled } from "../command/suggested-commands.ts";
import type { validateCommand } from "../commands/validate.ts";
import { findWorkflow } from "../prepare/find-workflow.ts";

type Problems = Parameters<typeof showProblems>[0];

interface CheckedFile {
  readonly file: string;
  readonly source: string;
  readonly problems: Problems;
}

/** `troupe validate`: everything that is wrong in any of the files; nothing is run. */
export const validateAction: ActionOf<typeof validateCommand> = async (invocation) => {
  const { format: given, strict: isStrict, json } = invocation.options;
  if (json && given !== undefined && given !== "json")
    throw usageInvalid({ problem: `--json and --format ${given} exclude each other` });
  const format = json ? "json" : (given ?? "text");
  const machine = createMachineAt({ cwd: invocation.settings.cwd, env: invocation.io.env });
  const files: CheckedFile[] = [];
  for (const file of new Set(invocation.args)) files.push(await check(machine, file, invocation));
  const problems = files.flatMap((file) => file.problems);
  const text = await showProblems(problems, format, {
    sources: new Map(files.map(({ file, source }) => [file, source])),
    style: paintCalled(invocation.settings.paint),
  });
  if (text !== "") invocation.io.stdout.write(`${text}\n`);
  if (format === "text") tellVerdict(files, invocation);
  const isValid = isStrict ? problems.length === 0 : areHarmless(problems);
  return isValid ? EXIT.completed : EXIT.usage;
};

async function check(
  machine: Machine,
  file: string,
  invocation: Invocation<OptionsOf<typeof validateCommand>>,
): Promise<CheckedFile> {
  const source = await findWorkflow(file, invocation);
  try {
    return await loadFile(machine, { ...source, importFrom: invocation.options.from });
  } catch (error) {
    // One file that cannot be read must not hide what is wrong in the others.
    if (!isFileError(error)) throw error;
    return { file: source.file, source: "", problems: [toProblem(error, source.file)] };
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("FILE_");
}

function tellVerdict(files: readonly CheckedFile[], { io, settings }: Invocation): void {
  if (settings.isQuiet) return;
  const { done } = settings.glyphs;
  for (const { file, problems } of files)
    if (areHarmless(problems)) io.stdout.write(`${done} ${file} is valid\n`);
}
