import { startPrepared } from "../attend/start-prepared.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import type { runCommand } from "../commands/run.ts";
import { prepareRun } from "../prepare/prepare-run.ts";

type RunOptions = OptionsOf<typeof runCommand>;

/** `troupe run`: checks everything, starts the run, and stays until it is over or let go. */
export const runAction: ActionOf<typeof runCommand> = async (invocation) => {
  const { options } = invocation;
  if (options.dryRun) return plan(invocation);
  return startPrepared(invocation, {
    exclusive: options.exclusive,
    prepare: (machine) => prepareRun(machine, invocation),
  });
};

/** A plan is one document, which has no operations to leave out. */
async function plan(invocation: Invocation<RunOptions>): Promise<number> {
  const { options } = invocation;
  const { planAction } = await import("./plan.ts");
  return planAction({
    ...invocation,
    options: { ...options, json: options.json || options.jsonAll },
  });
}
