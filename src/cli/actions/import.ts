import { type ImportReceipt, importRun, importRunFile } from "../../app/history/import-run.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { adoptRun, examineForeign, type ForeignRun } from "../../app/run/adopt-run.ts";
import { resolveRun } from "../../app/runs/run-lookup.ts";
import { count } from "../../foundation/count.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { confirm } from "../command/confirm.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { importCommand } from "../commands/import.ts";
import { inputPath } from "../prepare/read-input.ts";
import { missingLine } from "../share/missing-line.ts";

// Standard input is read whole; a larger export is imported from a file.
const MAX_STDIN_BYTES = 256 * 1024 * 1024;

/** `troupe import`: a file that export has written, or a run of the project that somebody else made. */
export const importAction: ActionOf<typeof importCommand> = async (invocation) => {
  const { json: isJson } = invocation.options;
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

/** `troupe import RUN`: tells what a foreign run would execute, and makes it this user's own when she agrees. */
async function adoptByName(
  machine: Machine,
  given: string,
  { invocation, isJson }: { readonly invocation: Invocation; readonly isJson: boolean },
): Promise<number> {
  const { io, settings } = invocation;
  const run = resolveRun(machine.store, given);
  const runs = await examineForeign(machine, run);
  const tell = (text: string) => void (isJson || settings.isQuiet || io.stdout.write(`${text}\n`));
  if (runs.every(({ reason }) => reason === null)) {
    if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, run, adopted: [] })}\n`);
    tell(`${run} is yours already`);
    return EXIT.completed;
  }
  for (const one of runs) tell(foreignLines(one).map(toPrintable).join("\n"));
  const isAgreed = await confirm(
    {
      question: `Make ${run} yours, so that it can be resumed and run all this?`,
      withoutTerminal: `look at it with troupe show ${run}, then: troupe import ${run} --yes`,
    },
    invocation,
  );
  if (!isAgreed) {
    tell("nothing was changed");
    return EXIT.failed;
  }
  const adopted = adoptRun(machine, run);
  if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, run, adopted })}\n`);
  tell(`${run} is yours now: ${TROUPE} ${runs[0]?.isOver === true ? "show" : "resume"} ${run}`);
  return EXIT.completed;
}

function foreignLines(foreign: ForeignRun): readonly string[] {
  const { run, workflow, instance, cwd, reason, isOver, agents, programs, ownSecrets, commands } =
    foreign;
  const indented = (name: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`  ${name}`, ...texts.map((text) => `    ${text}`)];
  return [
    `${run}  ${workflow}@${instance}${reason === null ? "" : `: ${reason}`}`,
    `  works in ${cwd}${isOver ? "; it is over" : ""}`,
    ...indented(
      "agents",
      agents.map(({ id, backend }) => `${id} (${backend})`),
    ),
    ...indented("runs", programs),
    ...indented("gets what you have sealed in another run of yours", ownSecrets),
    ...indented("recorded in it, to take effect when it goes on", commands),
  ];
}
