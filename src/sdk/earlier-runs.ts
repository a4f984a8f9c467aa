import type { Fork, ForkRequest } from "../app/again/fork/fork-run.ts";
import type { RerunChoice } from "../app/again/rerun/rerun-choice.ts";
import type { Rerun } from "../app/again/rerun/rerun-run.ts";
import type { RunComparison } from "../app/history/compare/compare-runs.ts";
import type { OwnCode } from "../app/workflow/code/workflow-code.ts";
import {
  assertArgument,
  listOf,
  NUMBER,
  type OptionTable,
  oneOf,
  optionsOf,
  required,
  TEXT,
} from "./check-options.ts";
import { CODE, checkOptions, PLACE } from "./option-tables.ts";
import { machineFor, runFor } from "./sdk-machine.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** Where the runs of a call are. */
export type RunPlace = Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store">;

/**
 * Makes a new run of the beginning of another one; `resumeRun` carries it on. Rejects with RUN_NOT_FOUND,
 * RUN_AMBIGUOUS, USAGE_CONTROL_BY_AGENT, RUN_FORK_*, ENGINE_FORK_TOO_LATE, ENGINE_PROGRAM_NOT_FOUND and STORE_* errors.
 */
export async function forkRun(
  run: string,
  request: ForkRequest,
  place: RunPlace = {},
): Promise<Fork> {
  assertArgument(["forkRun", "run"], TEXT, run);
  checkOptions("forkRun", FORK, request);
  checkOptions("forkRun", PLACE, place);
  const [{ createFork: fork }, machine] = await Promise.all([
    import("../app/again/fork/fork-run.ts"),
    machineFor(place),
  ]);
  return fork(machine, await runFor("forkRun", machine, run), request);
}

/**
 * Makes a new run that takes over what an earlier one did; `resumeRun` carries it out. Rejects with RUN_NOT_FOUND,
 * RUN_AMBIGUOUS, USAGE_CONTROL_BY_AGENT, RUN_STEP_UNKNOWN, RUN_MOVED, WORKFLOW_CODE_MISSING, ENGINE_PROGRAM_NOT_FOUND and STORE_* errors.
 */
export async function rerunRun(
  run: string,
  choice: RerunChoice,
  place: RunPlace & OwnCode = {},
): Promise<Rerun> {
  assertArgument(["rerunRun", "run"], TEXT, run);
  assertArgument(["rerunRun", "choice"], optionsOf(CHOICE), choice);
  checkOptions<RunPlace & OwnCode>("rerunRun", { ...PLACE, ...CODE }, place);
  const [{ createRerun: rerun }, { ownCode }, machine] = await Promise.all([
    import("../app/again/rerun/rerun-run.ts"),
    import("../app/workflow/plugins/code-of.ts"),
    machineFor(place),
  ]);
  return rerun(machine, await runFor("rerunRun", machine, run), { ...choice, ...ownCode(place) });
}

/** Compares two runs as far as they have come. Rejects with RUN_NOT_FOUND, RUN_AMBIGUOUS and STORE_* errors. */
export async function compareRuns(
  first: string,
  second: string,
  place: RunPlace = {},
): Promise<RunComparison> {
  assertArgument(["compareRuns", "first"], TEXT, first);
  assertArgument(["compareRuns", "second"], TEXT, second);
  checkOptions("compareRuns", PLACE, place);
  const { compareJournals: compare } = await import("../app/history/compare/compare-runs.ts");
  return compare(await machineFor(place), first, second);
}

const FORK: OptionTable<ForkRequest> = {
  ...CODE,
  at: required(TEXT),
  changes: listOf(optionsOf({ path: required(TEXT), text: required(TEXT) })),
};

const CHOICE = {
  kind: required(oneOf("all", "failed", "from", "only", "iteration")),
  ...{ step: TEXT, from: NUMBER },
};
