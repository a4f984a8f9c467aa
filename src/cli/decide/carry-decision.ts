import type { Machine } from "../../app/machine/machine.ts";
import { commandRun } from "../../app/run/commands/command-run.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { tellReceipt } from "../command/tell-receipt.ts";

/** A decision on its way into a run. */
export interface CarriedDecision {
  /** The run to go on with. */
  readonly run: string;
  /** The child run that asks, if it is not that one. */
  readonly child?: string;
  readonly command: RunCommand;
  /** What is said once it counts: `apr_91 approved`. */
  readonly told: string;
  /** Go on with the run here, if nobody runs it. */
  readonly resumes: boolean;
}

/**
 * Gives a decision to its run and tells what became of it; resolves with the exit code, that of the run when
 * it goes on here. Raises what commandRun and resume raise.
 */
export async function carryDecision(
  machine: Machine,
  { run, child = run, command, told, resumes }: CarriedDecision,
  invocation: Invocation,
): Promise<number> {
  const receipt = await commandRun(machine, child, { command });
  if (!resumes || receipt.status === "done") return tellReceipt(receipt, told, invocation);
  const { io, settings } = invocation;
  const tell = (line: string) => {
    if (!settings.isQuiet) io.stdout.write(`${line}\n`);
  };
  tell(told);
  const { goOn, PLAINLY } = await import("../attend/go-on.ts");
  try {
    return await goOn(PLAINLY, invocation, { findRun: async () => run });
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== "ENGINE_RUN_OWNED") throw error;
    tell(`another process has gone on with ${run} meanwhile`);
    return EXIT.completed;
  }
}
