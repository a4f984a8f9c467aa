import { z } from "zod";
import { reportPath } from "../../app/history/run-report.ts";
import { createMachineAt } from "../../app/machine/machine.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { Action } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { inputPath } from "../prepare/read-input.ts";
import { shownPath, writeReport } from "../share/write-report.ts";

const reportOptions = z.object({
  output: z.string().exactOptional(),
  redact: z.boolean().default(false),
});

/** `troupe report`: writes the page and prints where it is. */
export const reportAction: Action = async (invocation) => {
  const { io, settings, args } = invocation;
  const { output, redact } = reportOptions.parse(invocation.options);
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const { run } = resolveTarget(machine, args[0] ?? "");
  const path = output === undefined ? reportPath(machine, run) : inputPath(output, settings);
  await writeReport({ run, path, isForSharing: redact }, { machine, io, settings });
  io.stdout.write(`${shownPath(path, io)}\n`);
  return EXIT.completed;
};
