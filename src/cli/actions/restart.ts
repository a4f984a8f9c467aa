import type { Machine } from "../../app/machine/machine.ts";
import { commandRun } from "../../app/run/commands/command-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { readState } from "../../app/runs/run-lookup.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { tellReceipt } from "../command/tell-receipt.ts";
import type { restartCommand } from "../commands/restart.ts";

/** `troupe restart`: a fresh session for an agent that is alive, wherever its run is carried out. */
export const restartAction: ActionOf<typeof restartCommand> = async (invocation) => {
  const [given = ""] = invocation.args;
  const machine = await openMachine(invocation);
  const { run, agent } = resolveTarget(machine, given);
  if (agent === undefined)
    throw usageInvalid({
      problem: `"${given}" is no agent`,
      hint: agentsHint(run, livingIn(machine, run)),
    });
  const wasAtWork = isAtWork(machine, run, agent);
  const receipt = await commandRun(machine, run, { command: { kind: "restart", agent } });
  if (invocation.options.json) {
    const { status } = receipt;
    invocation.io.stdout.write(`${JSON.stringify({ v: 1, run, agent, status })}\n`);
    return EXIT.completed;
  }
  return tellReceipt(
    receipt,
    `${given} begins anew${wasAtWork ? "; what it works on comes again" : " with the next that it is told"}`,
    invocation,
  );
};

function agentsHint(run: string, living: readonly string[]): string {
  return living.length === 0
    ? `no agent of ${run} is alive`
    : `name one of ${run}: ${living.join(", ")}`;
}

function livingIn({ store }: Machine, run: string): readonly string[] {
  const agents = [...readState(store, run).agents.values()];
  return agents.filter(({ status }) => status !== "exited").map(({ id }) => id);
}

function isAtWork({ store }: Machine, run: string, agent: string): boolean {
  return findAgent(readState(store, run), agent)?.status !== "idle";
}
