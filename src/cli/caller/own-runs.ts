import { isStartedBelow } from "../../app/authority/authority.ts";
import type { Caller } from "../../app/machine/agent-above.ts";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { findWaitingItem } from "../../app/runs/run-lookup.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { findTarget, readMessageOperands } from "../agents/read-operands.ts";
import { allStopTargets, findStopTargets } from "../background/stop-targets.ts";
import type { ActsOn, Invocation } from "../command/command.ts";
import { targetOperand } from "../command/target-operand.ts";

/**
 * The call, if all that it acts on was started below what stands above its caller; else undefined. A run is then told
 * by its id, so that no name means another one in the end.
 */
export function withOwnRuns(
  actsOn: ActsOn,
  invocation: Invocation,
  above: NonNullable<Caller>,
): Invocation | undefined {
  const { settings, io, args } = invocation;
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  try {
    const runs = FINDERS[actsOn](machine, invocation);
    const [run] = runs;
    if (run === undefined || !runs.every((each) => isStartedBelow(machine, each, above)))
      return undefined;
    return actsOn === "run" ? { ...invocation, args: [run, ...args.slice(1)] } : invocation;
  } catch (error) {
    // What cannot be found is nobody's own, least of all below an agent.
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}

type Finder = (machine: Machine, invocation: Invocation) => readonly string[];

const FINDERS: { readonly [what in ActsOn]: Finder } = {
  run: targetOf,
  agent: targetOf,
  many: (machine, { args: [given] }) => {
    const targets = given === undefined ? allStopTargets(machine) : findStopTargets(machine, given);
    return targets.map(({ run }) => run);
  },
  addressee: (machine, invocation) => {
    const { to } = invocation.options;
    const operands = readMessageOperands(invocation, typeof to === "string" ? to : undefined);
    return [findTarget(machine, operands.target).run];
  },
  item: (machine, invocation) => {
    const { run } = invocation.options;
    if (typeof run === "string") return [resolveTarget(machine, run).run];
    return [findWaitingItem(machine.store, invocation.args[0] ?? "").run];
  },
};

function targetOf(machine: Machine, { args }: Invocation): readonly string[] {
  return [resolveTarget(machine, targetOperand(args)).run];
}
