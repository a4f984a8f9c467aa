import type { Machine } from "../../app/machine/machine.ts";
import { itemAmbiguous, itemChanged, itemNotFound } from "../../app/runs/errors.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { openItemsOf } from "../../app/runs/run-lookup.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { Invocation } from "../command/command.ts";
import { decisionImpossible, usageInvalid } from "../command/errors.ts";
import { openMachine } from "../command/open-machine.ts";
import { editShown } from "../inbox/edit-shown.ts";
import { findEntry, type InboxEntry } from "../inbox/list-inbox.ts";
import { askLine } from "../terminal/ask-line.ts";
import { carryDecision } from "./carry-decision.ts";

/** A person's yes or no to something that waits. */
export interface Decision {
  readonly verdict: "yes" | "no";
  /** `--run`: the only thing that waits in this run. */
  readonly run: string | undefined;
  readonly comment: string | undefined;
  /** `--hash`: what the person saw, or its beginning. */
  readonly seen: string | undefined;
  /** `--always`: the agent need not ask for the same again in this run. */
  readonly always: boolean;
  /** `--edit`: what is to be approved is edited first. */
  readonly edits: boolean;
  /** `--resume` */
  readonly resumes: boolean;
}

const HASH_PATTERN = /^[0-9a-f]{8,64}$/iu;

/**
 * Carries out `approve` and `reject` for approvals and permissions alike. Raises RUN_ITEM_NOT_FOUND,
 * RUN_ITEM_AMBIGUOUS, RUN_ITEM_CHANGED, USAGE_DECISION_IMPOSSIBLE, USAGE_INVALID,
 * what editing raises and what carryDecision raises.
 */
export async function decideItem(invocation: Invocation, decision: Decision): Promise<number> {
  const isYes = decision.verdict === "yes";
  const machine = await openMachine(invocation);
  const item = chosenItem(machine, invocation.args[0], decision.run);
  assertSeen(item, decision.seen);
  const comment = isYes ? decision.comment : await reasonOf(decision, invocation);
  const edited = decision.edits ? await editShown(item, invocation) : undefined;
  const command = toCommand(item, { isYes, comment, edited, always: decision.always });
  const told = `${item.id} ${isYes ? "approved" : "rejected"}${decision.always ? " for the rest of the run" : ""}`;
  return carryDecision(machine, { ...decision, ...placeOf(item), command, told }, invocation);
}

function placeOf({ run, child }: InboxEntry): { readonly run: string; readonly child?: string } {
  return { run, ...(child === undefined ? {} : { child }) };
}

/**
 * The approval or permission that is named by its id or as the only one of its run. Raises USAGE_INVALID,
 * RUN_ITEM_NOT_FOUND, RUN_ITEM_AMBIGUOUS, ENGINE_ITEM_RESOLVED.
 */
function chosenItem(
  machine: Machine,
  given: string | undefined,
  run: string | undefined,
): InboxEntry {
  if ((given === undefined) === (run === undefined))
    throw usageInvalid({
      problem: "name either the id of what waits or its run with --run",
      hint: "troupe inbox lists what waits",
    });
  return findEntry(machine, run === undefined ? (given ?? "") : onlyItem(machine, run));
}

function onlyItem(machine: Machine, given: string): string {
  const { run } = resolveTarget(machine, given);
  const items = openItemsOf(machine.store, run).filter(
    ({ kind }) => kind === "approval" || kind === "permission",
  );
  const [item] = items;
  if (item === undefined) throw itemNotFound({ id: run });
  if (items.length > 1) throw itemAmbiguous({ given: run, matches: items.map(({ id }) => id) });
  return item.id;
}

function assertSeen({ run, id, kind, hash }: InboxEntry, seen: string | undefined): void {
  if (seen === undefined) return;
  if (!HASH_PATTERN.test(seen))
    throw usageInvalid({
      problem: "--hash takes at least 8 characters of the hash, as inbox shows it",
    });
  if (hash === undefined)
    throw usageInvalid({ problem: `${id} is a ${kind}; only approvals have a hash` });
  if (!hash.startsWith(seen.toLowerCase())) throw itemChanged({ run, id, seen, current: hash });
}

/** A rejection says why; whoever sits at the terminal is asked for it. */
async function reasonOf({ comment }: Decision, { io, settings }: Invocation): Promise<string> {
  const asked = comment === undefined && settings.mayAsk ? await askLine(io, "why? ") : comment;
  const reason = asked?.trim() ?? "";
  if (reason !== "") return reason;
  throw usageInvalid({ problem: "a rejection needs a reason", hint: 'add -m "why"' });
}

interface Verdict {
  readonly isYes: boolean;
  readonly comment: string | undefined;
  readonly edited: Json | undefined;
  readonly always: boolean;
}

function toCommand(
  { id, kind, hash }: InboxEntry,
  { isYes, comment, edited, always }: Verdict,
): RunCommand {
  const why = comment === undefined ? {} : { comment };
  if (always && kind !== "permission")
    throw usageInvalid({ problem: `${id} is a ${kind}; only permissions are given for the run` });
  if (kind === "approval")
    return {
      kind: "resolve-approval",
      approval: id,
      decision: isYes ? "approved" : "rejected",
      ...why,
      ...present({ edited, hash }),
    };
  if (kind === "permission") {
    const decision = isYes ? "allowed" : "denied";
    return { kind: "resolve-permission", id, decision, ...why, ...(always ? { always } : {}) };
  }
  throw decisionImpossible({ id, kind, command: isYes ? "approve" : "reject" });
}
