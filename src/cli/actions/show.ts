import { readRunDiff } from "../../app/history/run-diff.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { familyOf, inFamilies } from "../../app/runs/families/run-families.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { type RunListing, readListing } from "../../app/runs/run-heads.ts";
import { inspectRun, readState } from "../../app/runs/run-lookup.ts";
import type { RunStore } from "../../contracts/ports/store.ts";
import type { Outcome, WaitingItem } from "../../contracts/run.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { StepState } from "../../fold/state/step-state.ts";
import { toWaitingItem, waitingItems } from "../../fold/waiting.ts";
import { count } from "../../foundation/count.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { resumeCommandOf } from "../command/resume-command.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { showCommand } from "../commands/show.ts";
import { fileDiffLines, toDiffDocument } from "../runs/diff-lines.ts";
import { toRunEntry } from "../runs/run-entry.ts";
import {
  findSteps,
  type ShownStep,
  type ShownStepOutput,
  stepsLines,
  toStepEntry,
  toStepOutput,
} from "../runs/show-step.ts";
import { fitTable } from "../terminal/fit-table.ts";
import { paintSign } from "../terminal/paint-sign.ts";
import type { Settings } from "../terminal/settings.ts";
import { writeLines } from "../terminal/write-lines.ts";
import { finalSummary } from "../view/final-summary.ts";

type FoundSteps = ReturnType<typeof findSteps>;

/** `troupe show` */
export const showAction: ActionOf<typeof showCommand> = async (invocation) => {
  const { io, settings } = invocation;
  const { step: wanted, diff: isDiff, output: isOutput, json: isJson } = invocation.options;
  if (isOutput && wanted === undefined)
    throw usageInvalid({
      problem: "--output shows what one step printed",
      hint: "say which one: --step ID",
    });
  if (isDiff && wanted !== undefined)
    throw usageInvalid({ problem: "--diff shows the files of a whole run, not of a step" });
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, targetOperand(invocation.args));
  if (isDiff) {
    const diff = await readRunDiff(machine, run);
    const text = isJson
      ? JSON.stringify(toDiffDocument(run, diff))
      : fileDiffLines(diff, settings).join("\n");
    io.stdout.write(`${text}\n`);
    return EXIT.completed;
  }
  const state = hearChildren(machine.store, inspectRun(machine, run));
  const listing = readListing(machine.store, run, machine.isGone);
  const isCarriedOut = listing?.owner !== undefined;
  const found = wanted === undefined ? undefined : findSteps(state, wanted);
  const lines = () => {
    if (found !== undefined) return stepsLines(found, state, { isCarriedOut, isOutput });
    return [
      titleLine(state),
      ...originLines(state),
      ...familyLines(state, settings),
      ...refusalLines(state),
      ...finalSummary(state, { ...settings, isCarriedOut }),
      ...ownerLines(listing, state),
    ];
  };
  const document = () => {
    const told = familyListing(machine, state);
    const entry = told === undefined ? null : toRunEntry(told);
    if (found !== undefined)
      return {
        v: 1,
        run: entry,
        step: toStepOutput(latestOf(found), state),
        ...itemsOf(found, state),
      };
    return { v: 1, run: entry, ...toShown(state) };
  };
  if (isJson) io.stdout.write(`${JSON.stringify(document())}\n`);
  else
    await writeLines(
      invocation,
      lines().map((line) => paintSign(line, settings)),
    );
  return EXIT.completed;
};

/** The one of several that was carried out last. */
function latestOf(steps: FoundSteps): StepState {
  return steps.reduce((last, step) => (step.seq > last.seq ? step : last));
}

/** All of them, where the step was carried out for several items. */
function itemsOf(
  steps: FoundSteps,
  state: RunState,
): { readonly items?: readonly ShownStepOutput[] } {
  return steps.length === 1 ? {} : { items: steps.map((step) => toStepOutput(step, state)) };
}

/** Which run this is: a target may have named it in other words. */
function titleLine({ run: { id, workflow, instance, file } }: RunState): string {
  return toPrintable(
    [id, `${workflow}@${instance}`, ...(file === undefined ? [] : [file])].join("  "),
  );
}

/** The run that this one was made from, or the schedule that started it. */
function originLines({ run: { forkedFrom, reuse, schedule } }: RunState): readonly string[] {
  if (schedule !== undefined)
    return [toPrintable(`started by schedule ${schedule.name} for ${schedule.due}`)];
  if (forkedFrom !== undefined) return [`fork of ${forkedFrom.run} after event ${forkedFrom.seq}`];
  return reuse === undefined ? [] : [`rerun of ${reuse.run}`];
}

/** What came to the doors of the run and was turned away. */
function refusalLines({ refusedRequests }: RunState): readonly string[] {
  const total = [...refusedRequests.values()].reduce((sum, each) => sum + each, 0);
  if (total === 0) return [];
  const codes = [...refusedRequests].map(([code, each]) => toPrintable(`${each} ${code}`));
  const verb = total === 1 ? "was" : "were";
  return [`${count(total, "request")} ${verb} refused: ${codes.join(", ")}`];
}

/** A run whose owner died looks as if it were running; only its lease tells. */
function ownerLines(listing: RunListing | undefined, of: RunState): readonly string[] {
  if (listing === undefined) return [];
  const { run, owner, state, exitCode, foreign } = listing;
  if (foreign !== null)
    return [`not made by you here: ${foreign}; ${TROUPE} import ${run} makes it yours`];
  if (owner !== undefined) return [`carried out by pid ${owner.pid}: ${owner.command}`];
  const isStranded = state === "suspended" && exitCode === null;
  return isStranded ? [`its process is gone; go on with: ${resumeCommandOf(of)}`] : [];
}

/** What `show --json` prints beside the run itself. */
interface ShownRun {
  readonly task: string | null;
  /** Of a step workflow; null without one. */
  readonly input: Json;
  readonly steps: readonly ShownStep[];
  readonly agents: readonly AgentEntry[];
  /** Child runs in the order of their starting. */
  readonly children: readonly ChildEntry[];
  readonly waitingFor: readonly WaitingItem[];
  /** What nobody had answered when the run ended. */
  readonly unanswered: readonly WaitingItem[];
}

interface AgentEntry {
  readonly name: string;
  readonly backend: string;
  readonly status: string;
  readonly turns: number;
  readonly exitReason: string | null;
}

/** Steps, agents and what waits, as they are now. */
function toShown(state: RunState): ShownRun {
  return {
    task: state.run.task ?? null,
    input: state.run.input ?? null,
    steps: [...state.steps.byPath.values()].map((step) => toStepEntry(step)),
    agents: [...state.agents.values()].map((agent) => ({
      name: agent.id,
      backend: agent.backend,
      status: agent.status,
      turns: agent.turnsEnded,
      exitReason: agent.exit?.reason ?? null,
    })),
    children: toChildEntries(state),
    waitingFor: waitingItems(state),
    unanswered: state.unanswered.map(toWaitingItem),
  };
}

/** A run as listings show it, with what all runs below it need and cost; undefined when it holds nothing yet. */
function familyListing(
  { store, isGone }: Pick<Machine, "store" | "isGone">,
  state: RunState,
): RunListing | undefined {
  const listings = familyOf(store, state).flatMap((id) => readListing(store, id, isGone) ?? []);
  return inFamilies(listings).find((listing) => listing.run === state.run.id);
}

/**
 * A run with what the runs below it ask by now. What it knows itself is what they told it: a decision that was made
 * while nobody carried them out is in their own journals alone.
 */
function hearChildren(store: RunStore, state: RunState): RunState {
  const { children, phase } = state;
  const asking = [...children.values()].filter(({ waitingFor }) => waitingFor.length > 0);
  const told = phase.status === "suspended" ? phase.waitingFor : [];
  if (asking.length === 0 && told.every(({ run }) => run === undefined)) return state;
  const openIn = new Map<string, ReadonlySet<string> | undefined>();
  const isOpen = ({ id, run }: WaitingItem) => {
    if (run === undefined) return true;
    if (!openIn.has(run)) openIn.set(run, openItems(store, run));
    return openIn.get(run)?.has(id) ?? true;
  };
  const heard = asking.map(
    (child) => [child.op, { ...child, waitingFor: child.waitingFor.filter(isOpen) }] as const,
  );
  return {
    ...state,
    children: new Map([...children, ...heard]),
    phase: phase.status === "suspended" ? { ...phase, waitingFor: told.filter(isOpen) } : phase,
  };
}

/** Ids of what a run asks; undefined when its journal cannot be read. */
function openItems(store: RunStore, run: string): ReadonlySet<string> | undefined {
  try {
    return new Set(waitingItems(readState(store, run)).map(({ id }) => id));
  } catch (error) {
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}

/** A child run as `show --json` prints it. */
interface ChildEntry {
  readonly run: string;
  readonly workflow: string;
  /** Path of the step that wanted it. */
  readonly path: string | null;
  /** Null while it is not over. */
  readonly outcome: Outcome | null;
}

// Beyond these `troupe runs` is the better place.
const MAX_CHILDREN = 20;

/** The child runs in the order of their starting. */
function toChildEntries({ children }: RunState): readonly ChildEntry[] {
  return [...children.values()].map(({ child, workflow, path, end }) => ({
    run: child,
    workflow,
    path: path ?? null,
    outcome: end?.outcome ?? null,
  }));
}

/** The child runs for people, and the run that a child belongs to. */
function familyLines(state: RunState, settings: Settings): readonly string[] {
  const { parent } = state.run;
  const children = toChildEntries(state);
  const rows = children
    .slice(0, MAX_CHILDREN)
    .map(({ run, workflow, path, outcome }) =>
      [`  ${run}`, workflow, path ?? "", outcome ?? "not over"].map(toPrintable),
    );
  const more = children.length - rows.length;
  return [
    ...(parent === undefined ? [] : [`child of ${parent.run}`]),
    ...(rows.length === 0 ? [] : ["children", ...fitTable(rows, { settings, cuts: [1, 2] })]),
    ...(more > 0 ? [`  and ${more} more: ${TROUPE} runs`] : []),
  ];
}
