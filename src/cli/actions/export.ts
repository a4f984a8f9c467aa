import { type ExportReceipt, exportRunTo, exportRunToFile } from "../../app/history/export-run.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { count } from "../../foundation/count.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { exportCommand } from "../commands/export.ts";
import { inputPath } from "../prepare/read-input.ts";
import { missingLine } from "../share/missing-line.ts";
import { shownPath } from "../share/write-report.ts";

/** `troupe export` */
export const exportAction: ActionOf<typeof exportCommand> = async (invocation) => {
  const { output, salvage: isSalvage } = invocation.options;
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, targetOperand(invocation.args));
  if (output === "-") {
    const { stdout } = invocation.io;
    tell(
      exportRunTo((line) => stdout.write(line), machine, { run, isSalvage }),
      invocation,
    );
    return EXIT.completed;
  }
  const path = inputPath(output ?? `${run}.jsonl.gz`, invocation.settings);
  await exportTo(machine, { run, path, isSalvage }, invocation);
  return EXIT.completed;
};

async function exportTo(
  machine: Machine,
  { run, ...target }: { readonly run: string; readonly path: string; readonly isSalvage: boolean },
  invocation: Invocation,
): Promise<void> {
  const receipt = await exportRunToFile(machine, run, target);
  tell(receipt, invocation);
  const { io, settings } = invocation;
  const file = shownPath(target.path, io);
  const runs =
    receipt.below.length === 0 ? "" : ` and ${count(receipt.below.length, "run")} below it`;
  const size = settings.isQuiet ? "" : `: ${count(receipt.events, "event")} of ${run}${runs}`;
  io.stdout.write(`${file}${size}\n`);
}

/** What the file does not say by itself. */
function tell({ below, isLive, ...own }: ExportReceipt, { io }: Invocation): void {
  if (isLive)
    io.stderr.write(`${own.run} is being carried out: the copy ends at event ${own.events}\n`);
  for (const { run, events, salvage } of [own, ...below]) {
    const which = run === own.run ? "" : `${run} `;
    if (salvage !== undefined) io.stderr.write(`${which}${missingLine(events, salvage)}\n`);
  }
}
