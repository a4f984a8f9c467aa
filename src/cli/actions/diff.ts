import { compareJournals, compareSteps } from "../../app/history/compare/compare-runs.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { ActionOf } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { LAST_RUN } from "../command/target-operand.ts";
import type { diffCommand } from "../commands/diff.ts";
import { comparisonLines, stepComparisonLines } from "../runs/comparison-lines.ts";
import { writeLines } from "../terminal/write-lines.ts";

/** `troupe diff` */
export const diffAction: ActionOf<typeof diffCommand> = async (invocation) => {
  const { io, settings, args } = invocation;
  const { step, json: isJson } = invocation.options;
  const machine = await openMachine(invocation);
  const [first, second] = [args[0] ?? "", args[1] ?? LAST_RUN].map(
    (given) => resolveTarget(machine, given).run,
  );
  const runs = { first: first ?? "", second: second ?? "" };
  if (step === undefined) {
    const comparison = compareJournals(machine, runs.first, runs.second);
    if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, ...comparison })}\n`);
    else await writeLines(invocation, comparisonLines(comparison, settings));
    return EXIT.completed;
  }
  const steps = compareSteps(machine, runs, step);
  const lines = () => steps.flatMap((each) => stepComparisonLines(each, runs)).join("\n");
  io.stdout.write(`${isJson ? JSON.stringify({ v: 1, ...runs, steps }) : lines()}\n`);
  return EXIT.completed;
};
