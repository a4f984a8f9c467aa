import { dirname, resolve } from "node:path";
import { areHarmless } from "../../app/catalogue/show-problems.ts";
import { createMachineAt } from "../../app/machine/machine.ts";
import { writeTextFile } from "../../app/machine/place/write-text-file.ts";
import {
  type ConvertedFile,
  convertFile,
  rewriteFile,
} from "../../app/setup/convert/convert-file.ts";
import { convertModule, isModule } from "../../app/setup/convert/convert-module.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { convertedElsewhere, usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { reportWarning } from "../command/report-error.ts";
import type { convertCommand } from "../commands/convert.ts";
import { findWorkflow } from "../prepare/find-workflow.ts";
import { inputPath } from "../prepare/read-input.ts";
import { tellProblems } from "../prepare/tell-problems.ts";
import { shownPath } from "../share/write-report.ts";

/** `troupe convert`: writes a workflow in another format, or a file of another tool as one of troupe; nothing is started. */
export const convertAction: ActionOf<typeof convertCommand> = async (invocation) => {
  const { io, settings, args } = invocation;
  const { options } = invocation;
  const { output, json: isJson } = options;
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const [given = ""] = args;
  const target = output === undefined || output === "-" ? undefined : inputPath(output, settings);
  const form = { target, isJson };
  if (isModule(given)) {
    const file = inputPath(given, settings);
    assertOther(file, target);
    if (options.from !== undefined)
      throw usageInvalid({
        problem: `${given} is a module, and --from is for files of other tools`,
      });
    const text = await convertModule(machine, resolve(file), options.to ?? "yaml");
    return finish({ file, text, from: undefined, problems: [] }, form, invocation);
  }
  const source = await findWorkflow(given, invocation);
  if (source.text === undefined) assertOther(source.file, target);
  const request = options.from === undefined ? source : { ...source, importFrom: options.from };
  const converted =
    options.to === undefined
      ? await convertFile(machine, request)
      : await rewriteFile(machine, request, options.to);
  const { loaded, text, from } = converted;
  if (!isJson) await tellProblems(loaded, invocation);
  for (const warning of converted.warnings) reportWarning(warning, io, settings);
  const file = source.text === undefined ? source.file : undefined;
  return finish({ file, text, from, problems: loaded.problems }, form, invocation);
};

function assertOther(file: string, target: string | undefined): void {
  if (target !== undefined && resolve(target) === resolve(file))
    throw usageInvalid({
      problem: `${file} would be overwritten by what is made of it`,
      hint: "give the new file a name of its own",
    });
}

interface Converted extends Pick<ConvertedFile, "from" | "text"> {
  /** Absent for standard input. */
  readonly file: string | undefined;
  readonly problems: ConvertedFile["loaded"]["problems"];
}

/** Writes what was made of a file, and tells where it is. */
function finish(converted: Converted, form: ResultForm, invocation: Invocation): number {
  const { io, settings } = invocation;
  const { file, text, problems } = converted;
  const { target } = form;
  if (target !== undefined && text !== undefined) {
    writeTextFile(target, text);
    if (file !== undefined && dirname(resolve(target)) !== dirname(resolve(file)))
      reportWarning(convertedElsewhere({ file, output: target }), io, settings);
  }
  tellResult(converted, form, invocation);
  return text !== undefined && areHarmless(problems) ? EXIT.completed : EXIT.usage;
}

interface ResultForm {
  readonly target: string | undefined;
  readonly isJson: boolean;
}

function tellResult(
  { problems, from, text }: Converted,
  { target, isJson }: ResultForm,
  { io, settings }: Invocation,
): void {
  if (isJson) {
    const ok = text !== undefined && areHarmless(problems);
    const document = { v: 1, ok, from: from ?? null, output: target ?? null };
    io.stdout.write(`${JSON.stringify({ ...document, text: text ?? null, problems })}\n`);
    return;
  }
  if (text === undefined) return;
  if (target === undefined) io.stdout.write(text);
  else if (!settings.isQuiet) io.stdout.write(`${shownPath(target, io)}\n`);
}
