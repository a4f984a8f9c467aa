import { compareJournals, compareSteps } from "../../app/history/compare/compare-runs.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { ActionOf } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { diffCommand } from "../commands/diff.ts";
import { comparisonLines, stepComparisonLines } from "../runs/comparison-lines.ts";

/** `troupe diff` */
export const diffAction: ActionOf<typeof diffCommand> = async (invocation) => {
  const { io, settings, args } = invocation;
  const { step, json: isJson } = invocation.options;
  const machine = await openMachine(invocation);
  const [first, second] = [args[0] ?? "", args[1] ?? ""].map(
    (given) => resolveTarget(machine, given).run,
  );
  const runs = { first: first ?? "", second: second ?? "" };
  const write = (document: object, lines: () => readonly string[]) =>
    io.stdout.write(`${isJson ? JSON.stringify(document) : lines().join("\n")}\n`);
  if (step === undefined) {
    const comparison = compareJournals(machine, runs.first, runs.second);
    write({ v: 1, ...comparison }, () => comparisonLines(comparison, settings));
    return EXIT.completed;
  }
  const steps = compareSteps(machine, runs, step);
  write({ v: 1, ...runs, steps }, () => steps.flatMap((each) => stepComparisonLines(each, runs)));
  return EXIT.completed;
};
