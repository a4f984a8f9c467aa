import type { Machine } from "../../app/machine/machine.ts";
import { commandRun } from "../../app/run/commands/command-run.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";

/** Carries a command out in a run, or in one below it. */
export type FamilyCommand = (command: RunCommand, below?: string) => Promise<unknown>;

/** Commands for a run and, through the sockets of their own, for the runs below it. Raises what commandRun raises. */
export function commandFamily(
  machine: Machine,
  own: (command: RunCommand) => Promise<unknown>,
): FamilyCommand {
  return (command, below) =>
    below === undefined ? own(command) : commandRun(machine, below, { command });
}
