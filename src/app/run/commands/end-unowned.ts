import type { EventData, JournalEvent } from "../../../contracts/events/event.ts";
import type { RunCommand, RunEnded } from "../../../contracts/events/run-events.ts";
import { OUTCOME_EXIT_CODES, type Outcome } from "../../../contracts/run.ts";
import { fold, foldAll } from "../../../fold/fold.ts";
import { toHead } from "../../../fold/head.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isOver } from "../../../fold/waiting.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { Json } from "../../../foundation/json.ts";
import { clearLeftovers } from "../../machine/leftovers.ts";
import type { Machine } from "../../machine/machine.ts";
import { assertCommand } from "../../runs/check-command.ts";
import { runsBelow } from "../../runs/families/run-families.ts";
import { readHead } from "../../runs/run-heads.ts";
import { readState } from "../../runs/run-lookup.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { readRecipe } from "../../workflow/shapes/run-recipe.ts";
import { type HeldRun, holdUnowned } from "../hold-unowned.ts";

// Owns the end of runs that nobody carries out (USE-2).
// E1: a family ends from below, each run in one append: a crash in between leaves a parent that can be ended again.
// E2: no code of the run is executed; what its steps would have cleaned up stays as it is, and their names are told.

/** A command that ends a run. */
export type EndingCommand = Extract<RunCommand, { readonly kind: "cancel" | "stop" }>;

/** How a run was ended. */
export interface EndedUnowned {
  readonly outcome: Outcome;
  /** Paths of the steps that were under way, those of the runs below it included. */
  readonly cutOff: readonly string[];
}

/** Whether a command ends a run also where nobody carries it out. */
export function isEnding(command: RunCommand): command is EndingCommand {
  return command.kind === "cancel" || command.kind === "stop";
}

/**
 * Ends a run that nobody carries out, with the runs below it: cancelled, or completed for a team that is stopped.
 * Raises RUN_FOREIGN, ENGINE_RUN_OWNED, ENGINE_RUN_OVER and HOST_PROCESS_SURVIVED.
 */
export async function endUnowned(
  machine: Machine,
  run: string,
  asked: { readonly command: EndingCommand; readonly by: string },
): Promise<EndedUnowned> {
  const { store } = machine;
  const below = runsBelow(store, run).filter((id) => !isOver(readState(store, id)));
  const held: HeldRun[] = [];
  try {
    // All or none: an owner anywhere in the family would go on writing.
    for (const id of [run, ...below]) held.push(await holdUnowned(machine, id));
    // What a dead owner left running works for nobody any more.
    if (machine.keepsFiles) await clearLeftovers(machine);
    const cutOff: string[] = [];
    const { command, by } = asked;
    const reason = reasonOf(command);
    for (const child of held.slice(1).toReversed())
      cutOff.push(
        ...(await end(machine, child, { command: { kind: "cancel", reason }, by })).cutOff,
      );
    const [root] = held;
    if (root === undefined) throw new Error("the run itself is held");
    const ended = await end(machine, root, asked);
    return { ...ended, cutOff: [...ended.cutOff, ...cutOff] };
  } finally {
    for (const each of held) each.release();
  }
}

async function end(
  machine: Machine,
  { journal, epoch }: HeldRun,
  { command, by }: { readonly command: EndingCommand; readonly by: string },
): Promise<EndedUnowned> {
  const { run } = journal;
  const state = foldAll(run, journal.read());
  const nowMs = machine.clock.now();
  assertCommand({ state }, command, nowMs);
  const cutOff = stepsUnderWay(state);
  const text = journal.blob(state.run.definitionHash);
  const { isStanding, result } = await whatIsKnown(run, text, state);
  const outcome = command.kind === "stop" && isStanding ? "completed" : "cancelled";
  const ended: RunEnded = {
    type: "run-ended",
    outcome,
    reason: outcome === "completed" ? "all agents were stopped" : reasonOf(command),
    resumable: false,
    exitCode: OUTCOME_EXIT_CODES[outcome],
    // What lies after the last thing that its owner wrote is nobody's running time.
    durationMs: state.runningTime.totalMs,
    result,
  };
  const data: readonly EventData[] = [{ type: "command-received", command, by }, ended];
  const events = data.map(
    (each, index): JournalEvent => ({ ...each, seq: state.lastSeq + 1 + index, at: nowMs }),
  );
  const stepTotal = readHead(machine.store, run)?.steps.total ?? 0;
  for (const event of events) fold(state, event);
  await journal.append({ epoch, events, head: toHead(state, stepTotal) });
  journal.seal();
  return { outcome, cutOff };
}

function reasonOf(command: EndingCommand): string {
  return command.kind === "cancel" ? command.reason : "it was stopped";
}

function stepsUnderWay({ steps }: RunState): readonly string[] {
  return [...steps.byPath.values()]
    .filter(({ status }) => status === "running" || status === "retrying")
    .map(({ path }) => path);
}

/** What the definition adds; a run whose definition cannot be read, or that never began, ends all the same. */
async function whatIsKnown(
  run: string,
  text: string | undefined,
  state: RunState,
): Promise<{ readonly isStanding: boolean; readonly result: Json }> {
  try {
    const { definition } = await readRecipe(run, text);
    const shape = await shapeOf(definition);
    const isStanding = shape.isStanding?.(definition) ?? false;
    const toResult = await shape.resultOf(definition);
    return { isStanding, result: toResult({ state }, undefined) };
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    return { isStanding: false, result: null };
  }
}
