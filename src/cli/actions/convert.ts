import { dirname, resolve } from "node:path";
import { z } from "zod";
import { type ConvertedFile, convertFile } from "../../app/convert-file.ts";
import { createMachine } from "../../app/machine.ts";
import { areHarmless } from "../../app/show-problems.ts";
import { writeTextFile } from "../../app/write-text-file.ts";
import type { Action, Invocation } from "../command.ts";
import { convertedElsewhere, usageInvalid } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { findWorkflow } from "../prepare/find-workflow.ts";
import { inputPath } from "../prepare/read-input.ts";
import { tellProblems } from "../prepare/tell-problems.ts";
import { reportWarning } from "../report-error.ts";
import { shownPath } from "../share/write-report.ts";

const convertOptions = z.object({
  from: z.string().exactOptional(),
  output: z.string().exactOptional(),
  json: z.boolean().default(false),
});

/** `troupe convert`: writes a file of another tool as one of troupe; nothing is run. */
export const convertAction: Action = async (invocation) => {
  const { io, settings, args } = invocation;
  const { from, output, json: isJson } = convertOptions.parse(invocation.options);
  const machine = createMachine({ cwd: settings.cwd, env: io.env });
  const source = await findWorkflow(args[0] ?? "", invocation);
  const target = output === undefined || output === "-" ? undefined : inputPath(output, settings);
  const isFile = source.text === undefined;
  if (target !== undefined && isFile && resolve(target) === resolve(source.file))
    throw usageInvalid({
      problem: `${source.file} would be overwritten by what is made of it`,
      hint: "give the new file a name of its own",
    });
  const request = from === undefined ? source : { ...source, importFrom: from };
  const converted = await convertFile(machine, request);
  const { loaded, text } = converted;
  if (!isJson) tellProblems(loaded, invocation);
  if (target !== undefined && text !== undefined) {
    writeTextFile(target, text);
    if (isFile && dirname(resolve(target)) !== dirname(resolve(source.file)))
      reportWarning(convertedElsewhere({ file: source.file, output: target }), io, settings);
  }
  tellResult(converted, { target, isJson }, invocation);
  return text !== undefined && areHarmless(loaded.problems) ? EXIT.completed : EXIT.usage;
};

interface ResultForm {
  readonly target: string | undefined;
  readonly isJson: boolean;
}

function tellResult(
  { loaded, from, text }: ConvertedFile,
  { target, isJson }: ResultForm,
  { io, settings }: Invocation,
): void {
  if (isJson) {
    const { problems } = loaded;
    const ok = text !== undefined && areHarmless(problems);
    const document = { v: 1, ok, from: from ?? null, output: target ?? null };
    io.stdout.write(`${JSON.stringify({ ...document, text: text ?? null, problems })}\n`);
    return;
  }
  if (text === undefined) return;
  if (target === undefined) io.stdout.write(text);
  else if (!settings.isQuiet) io.stdout.write(`${shownPath(target, io)}\n`);
}
