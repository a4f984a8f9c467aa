import { daemonStatusOf } from "../../app/background/ask-daemon.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { agentBusy, agentProgramFailed } from "../../app/run/attach/errors.ts";
import { assertLendable, type LentAgent, lendAgent } from "../../app/run/attach/lend-agent.ts";
import { commandRun } from "../../app/run/commands/command-run.ts";
import type { Target } from "../../app/runs/resolve-target.ts";
import { readListing } from "../../app/runs/run-heads.ts";
import { inspectRun } from "../../app/runs/run-lookup.ts";
import { delay } from "../../foundation/abort.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { resumeDetached } from "../background/hand-over.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";

// A daemon lets go of a run within the time that its agents' programs need to end.
const LETS_GO_MS = 15_000;
const LOOK_MS = 100;

/**
 * Opens the own program of an agent on the session that it has in a run, in this terminal, and hands the
 * session back when that ends. A run that only waits in the background is let go of meanwhile. Resolves with the
 * exit code. Raises USAGE_INVALID without a terminal, RUN_AGENT_BUSY, RUN_AGENT_PROGRAM_FAILED, DAEMON_* errors
 * and what lendAgent raises.
 */
export async function attachCli(
  machine: Machine,
  target: Target,
  invocation: Invocation,
): Promise<number> {
  const { io } = invocation;
  if (!io.stdin.isTerminal || !io.stdout.isTerminal)
    throw usageInvalid({ problem: "there is no terminal to open the agent's program in" });
  // A terminal that closes ends the program in it; what was let go of has to go on afterwards.
  const stopIgnoring = io.onSignal(() => {});
  try {
    return await attachUndisturbed(machine, target, invocation);
  } finally {
    stopIgnoring();
  }
}

async function attachUndisturbed(
  machine: Machine,
  target: Target,
  invocation: Invocation,
): Promise<number> {
  const { io } = invocation;
  const isBackground = await letGoInBackground(machine, target);
  try {
    const lent = await lendPatiently(machine, target, isBackground);
    try {
      return await runLent(lent, target, invocation);
    } finally {
      await lent.giveBack();
    }
  } finally {
    // Whatever went wrong with the program: what went on in the background does so again.
    if (isBackground) {
      await resumeDetached(
        machine,
        { run: target.run, limits: undefined },
        { trustsProject: machine.trustsProject },
      );
      io.stderr.write(`${target.run} goes on in the background\n`);
    }
  }
}

/** Whether the run went on in the background and does not any more. Raises RUN_AGENT_BUSY. */
async function letGoInBackground(machine: Machine, { run, agent }: Target): Promise<boolean> {
  const owner = readListing(machine.store, run, machine.isGone)?.owner;
  if (owner === undefined) return false;
  const refuse = (problem: string) => agentBusy({ run, problem });
  const daemon = await daemonStatusOf(machine);
  if (daemon?.pid !== owner.pid)
    throw refuse(`it is carried out by pid ${owner.pid} (${owner.command})`);
  const busy = [...inspectRun(machine, run).agents.values()].filter(({ turns }) => turns.size > 0);
  if (busy.length > 0) throw refuse(`${busy.map(({ id }) => id).join(", ")} has a turn`);
  await assertLendable(machine, { run, agent });
  await commandRun(machine, run, { command: { kind: "pause" } });
  return true;
}

/** The daemon ends the programs of the run's agents before it gives the run away. */
async function lendPatiently(
  machine: Machine,
  { run, agent }: Target,
  isBackground: boolean,
): Promise<LentAgent> {
  const untilMs = machine.clock.monotonic() + (isBackground ? LETS_GO_MS : 0);
  for (;;) {
    try {
      return await lendAgent(machine, { run, agent });
    } catch (error) {
      const isOwned = error instanceof TroupeError && error.code === "ENGINE_RUN_OWNED";
      if (!isOwned || machine.clock.monotonic() >= untilMs) throw error;
    }
    await delay(machine.clock, LOOK_MS, new AbortController().signal);
  }
}

async function runLent(
  { agent, backend, command }: LentAgent,
  { run }: Target,
  { io }: Invocation,
): Promise<number> {
  const { argv, env, cwd } = command;
  io.stderr.write(`the session of ${agent} (${backend}, ${run}) is yours until its program ends\n`);
  let exitCode: number | null;
  try {
    // What the agent calls in its session is no person's, who types into it and not into a shell.
    exitCode = await io.runProgram(argv, { env: { ...env, TROUPE_RUN: run }, cwd });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw agentProgramFailed({ agent, program: argv[0], problem }, { cause: error });
  }
  io.stderr.write(`${agent} goes on with this session at its next turn\n`);
  return exitCode === 0 ? EXIT.completed : EXIT.failed;
}
