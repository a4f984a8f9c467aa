import { reportPath } from "../../app/history/run-report.ts";
import { createMachineAt } from "../../app/machine/machine.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { ActionOf } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { reportCommand } from "../commands/report.ts";
import { inputPath } from "../prepare/read-input.ts";
import { shownPath, writeReport } from "../share/write-report.ts";

/** `troupe report`: writes the page and prints where it is. */
export const reportAction: ActionOf<typeof reportCommand> = async (invocation) => {
  const { io, settings, args } = invocation;
  const { output, redact } = invocation.options;
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const { run } = resolveTarget(machine, targetOperand(args));
  const path = output === undefined ? reportPath(machine, run) : inputPath(output, settings);
  await writeReport({ run, path, isForSharing: redact }, { machine, io, settings });
  io.stdout.write(`${shownPath(path, io)}\n`);
  return EXIT.completed;
};
