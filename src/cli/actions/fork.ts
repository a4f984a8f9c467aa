import type { ForkChange } from "../../app/again/fork/fork-changes.ts";
import { createFork, type Fork } from "../../app/again/fork/fork-run.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { goOn } from "../attend/go-on.ts";
import { tellAtOnce } from "../attend/tell-at-once.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { givenOptions, toFlag } from "../command/option.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { forkCommand } from "../commands/fork.ts";

/** `troupe fork` */
export const forkAction: ActionOf<typeof forkCommand> = async (invocation) => {
  const { at, set = [], start, ...options } = invocation.options;
  if (at === undefined)
    throw usageInvalid({
      problem: "a fork needs a place to begin: --at SEQ or --at STEP",
      hint: "see the steps: troupe show RUN; the events: troupe logs RUN --json",
    });
  const changes = set.map(readChange);
  const make = (machine: Machine) => {
    const { run } = resolveTarget(machine, targetOperand(invocation.args));
    return createFork(machine, run, { at, changes });
  };
  if (!start) return makeOnly(make, invocation);
  return goOn(options, invocation, {
    findRun: async (machine, progress) => {
      const fork = await make(machine);
      tellAtOnce(forkLine(fork), progress, invocation);
      return fork.run;
    },
  });
};

async function makeOnly(
  make: (machine: Machine) => Promise<Fork>,
  invocation: Invocation,
): Promise<number> {
  const { io, options, settings } = invocation;
  const useless = givenOptions(options).filter((name) => !USED_ALONE.has(name));
  if (useless.length > 0)
    throw usageInvalid({
      problem: `--no-start starts nothing, so ${useless.map(toFlag).join(", ")} means nothing`,
    });
  const fork = await make(await openMachine(invocation));
  const { run, from } = fork;
  const lines = [forkLine(fork), `go on with it: ${TROUPE} resume ${run}`];
  const text = settings.isQuiet ? run : lines.join("\n");
  io.stdout.write(`${options["json"] === true ? JSON.stringify({ v: 1, run, from }) : text}\n`);
  return EXIT.completed;
}

const USED_ALONE: ReadonlySet<string> = new Set(["at", "set", "start", "json"]);

function readChange(given: string): ForkChange {
  const end = given.indexOf("=");
  if (end > 0) return { path: given.slice(0, end), text: given.slice(end + 1) };
  throw usageInvalid({
    problem: `--set wants PATH=VALUE, got "${given}"`,
    hint: "--set params.target=src, --set context.plan.result=…",
  });
}

function forkLine({ run, from, cwd }: Fork): string {
  const place = toPrintable(cwd);
  return `${run} is a fork of ${from.run} after event ${from.seq}; files in ${place} stay as they are now`;
}
