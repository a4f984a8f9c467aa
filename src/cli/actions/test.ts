import { createMachineAt } from "../../app/machine/machine.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import type { testCommand } from "../commands/test.ts";

const COUNT = /^[1-9]\d{0,6}$/;

/** `troupe test`: plays the cases of test files, or simulated runs of workflows. */
export const testAction: ActionOf<typeof testCommand> = async (invocation) => {
  const { args, options, settings, io } = invocation;
  const { simulate, seed, task, only } = options;
  const files = [...new Set(args)];
  const trustsProject = options.trust;
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env, trustsProject });
  if (simulate === undefined) {
    if (seed !== undefined || task !== undefined)
      throw usageInvalid({
        problem: `--${seed === undefined ? "task" : "seed"} is for simulated runs`,
        hint: `troupe test ${files[0] ?? "FILE"} --simulate 100`,
      });
    const { playFiles } = await import("../trial/play-files.ts");
    return playFiles(machine, { files, only, isJson: options.json }, invocation);
  }
  const { simulateFiles } = await import("../trial/simulate-files.ts");
  const runs = readCount(simulate, "--simulate");
  const first = seed === undefined ? 1 : readCount(seed, "--seed");
  return simulateFiles(
    machine,
    { files, only, task, runs, first, isJson: options.json },
    invocation,
  );
};

function readCount(given: string, option: string): number {
  if (!COUNT.test(given))
    throw usageInvalid({
      problem: `${option} takes a whole number from 1 to 9999999, got ${JSON.stringify(given)}`,
    });
  return Number(given);
}
