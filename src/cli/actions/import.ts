import { z } from "zod";
import { type ImportReceipt, importRun, importRunFile } from "../../app/history/import-run.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { count } from "../../foundation/count.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Action, Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { inputPath } from "../prepare/read-input.ts";
import { adoptByName } from "../share/adopt-by-name.ts";
import { missingLine } from "../share/missing-line.ts";

const importOptions = z.object({ json: z.boolean().default(false) });

// Standard input is read whole; a larger export is imported from a file.
const MAX_STDIN_BYTES = 256 * 1024 * 1024;

/** `troupe import`: a file that export has written, or a run of the project that somebody else made. */
export const importAction: Action = async (invocation) => {
  const { json: isJson } = importOptions.parse(invocation.options);
  const { io, settings, args } = invocation;
  const machine = await openMachine(invocation);
  const [given = ""] = args;
  if (given.startsWith("run_") || machine.store.list().includes(given))
    return adoptByName(machine, given, { invocation, isJson });
  const receipt = await take(machine, invocation);
  if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, ...receipt })}\n`);
  else if (settings.isQuiet) io.stdout.write(`${receipt.run}\n`);
  else io.stdout.write(`${receiptLines(receipt).join("\n")}\n`);
  return EXIT.completed;
};

async function take(machine: Machine, { args, io, settings }: Invocation): Promise<ImportReceipt> {
  const [path = ""] = args;
  if (path !== "-") return importRunFile(machine, inputPath(path, settings));
  const bytes = await io.stdin.readAll(MAX_STDIN_BYTES);
  return importRun(machine, { name: "standard input", bytes: once(bytes) });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function receiptLines(receipt: ImportReceipt): readonly string[] {
  const { run, events, salvage, cwd, isCwdHere, isResumable, below } = receipt;
  const directory = toPrintable(cwd);
  return [
    `${run} is here, with ${count(events, "event")}: ${TROUPE} show ${run}`,
    ...(below.length === 0 ? [] : [`${count(below.length, "run")} below it came with it`]),
    ...(salvage === undefined ? [] : [missingLine(events, salvage)]),
    ...below.flatMap((each) =>
      each.salvage === undefined ? [] : [`${each.run} ${missingLine(each.events, each.salvage)}`],
    ),
    ...(isResumable
      ? [`it can be looked at, and runs nothing until you agree to it: ${TROUPE} import ${run}`]
      : []),
    ...(isResumable && !isCwdHere
      ? [`to go on with it, its agents need ${directory}, which does not exist here`]
      : []),
  ];
}
