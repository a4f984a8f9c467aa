import { commandRun } from "../../app/command-run.ts";
import { itemAmbiguous, itemNotFound } from "../../app/errors.ts";
import type { Machine } from "../../app/machine.ts";
import { readHead } from "../../app/run-heads.ts";
import { findWaitingItem, resolveRun } from "../../app/run-lookup.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { Invocation } from "../command.ts";
import { decisionImpossible, usageInvalid } from "../errors.ts";
import { openMachine } from "../open-machine.ts";
import { tellReceipt } from "../tell-receipt.ts";

/** A person's yes or no to something that waits. */
export interface Decision {
  readonly verdict: "yes" | "no";
  /** `--run`: the only thing that waits in this run. */
  readonly run: string | undefined;
  readonly comment: string | undefined;
}

interface FoundItem {
  readonly run: string;
  readonly id: string;
  readonly kind: string;
}

/**
 * Carries out `approve` and `reject` for approvals and permissions alike. Raises RUN_ITEM_NOT_FOUND,
 * RUN_ITEM_AMBIGUOUS, USAGE_DECISION_IMPOSSIBLE, USAGE_INVALID and what commandRun raises.
 */
export async function decideItem(invocation: Invocation, decision: Decision): Promise<number> {
  const [given] = invocation.args;
  if ((given === undefined) === (decision.run === undefined))
    throw usageInvalid({ problem: "name either the id of what waits or its run with --run" });
  const machine = await openMachine(invocation);
  const item =
    decision.run === undefined
      ? findWaitingItem(machine.store, given ?? "")
      : onlyItem(machine, decision.run);
  const command = toCommand(item, decision);
  const receipt = await commandRun(machine, item.run, { command });
  const words = decision.verdict === "yes" ? "approved" : "rejected";
  return tellReceipt(receipt, `${item.id} ${words}`, invocation);
}

function onlyItem(machine: Machine, given: string): FoundItem {
  const run = resolveRun(machine.store, given);
  const items = (readHead(machine.store, run)?.waitingFor ?? []).filter(
    ({ kind }) => kind === "approval" || kind === "permission",
  );
  const [item] = items;
  if (item === undefined) throw itemNotFound({ id: run });
  if (items.length > 1) throw itemAmbiguous({ given: run, matches: items.map(({ id }) => id) });
  return { run, id: item.id, kind: item.kind };
}

function toCommand({ id, kind }: FoundItem, { verdict, comment }: Decision): RunCommand {
  const isYes = verdict === "yes";
  const why = comment === undefined ? {} : { comment };
  if (kind === "approval")
    return {
      kind: "resolve-approval",
      approval: id,
      decision: isYes ? "approved" : "rejected",
      ...why,
    };
  if (kind === "permission")
    return { kind: "resolve-permission", id, decision: isYes ? "allowed" : "denied", ...why };
  throw decisionImpossible({ id, kind, command: isYes ? "approve" : "reject" });
}
