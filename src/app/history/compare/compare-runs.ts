import type { RunStatus } from "../../../contracts/run.ts";
import { canonicalJson, type Json } from "../../../foundation/json.ts";
import { type DiffLine, diffLines } from "../../../foundation/line-diff.ts";
import type { Machine } from "../../machine/machine.ts";
import { stepUnknown } from "../../runs/errors.ts";
import { readEvents } from "../../runs/run-events.ts";
import { resolveRun } from "../../runs/run-lookup.ts";
import { isPlaceOf } from "../../runs/step-place.ts";
import { keyOf, profileRun, type RunProfile, type StepProfile } from "./run-profile.ts";

/** One of two runs in figures. */
export interface ComparedRun {
  readonly run: string;
  readonly workflow: string;
  readonly instance: string;
  readonly state: RunStatus;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly messages: number;
  /** The runs that it was made from. */
  readonly forkedFrom: string | null;
  readonly rerunOf: string | null;
}

/** One execution of a step in one of two runs. */
export type ComparedExecution = Pick<
  StepProfile,
  "status" | "attempts" | "durationMs" | "costUsd" | "isReused" | "error"
>;

/** Lines that only the second or only the first text has. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** One execution of a step in both runs; null where it did not happen. */
export interface ComparedStep {
  readonly step: string;
  readonly path: string;
  readonly execution: number;
  readonly first: ComparedExecution | null;
  readonly second: ComparedExecution | null;
  /** Null when one of them has none. */
  readonly output: "same" | "changed" | null;
  /** Null when it is the same, or one of them has none. */
  readonly promptChanges: LineCounts | null;
}

/** What two runs were started with that differs. */
export interface ComparedStart {
  readonly isSameDefinition: boolean;
  readonly isSameTask: boolean;
  readonly isSameInput: boolean;
  /** Names of params with different values. */
  readonly changedParams: readonly string[];
}

/** Two runs side by side. */
export interface RunComparison {
  readonly first: ComparedRun;
  readonly second: ComparedRun;
  readonly start: ComparedStart;
  readonly steps: readonly ComparedStep[];
  /** The first execution, in the order of the first run, that went another way; null when none did. */
  readonly divergence: {
    readonly path: string;
    readonly execution: number;
    readonly what: string;
  } | null;
}

/** What a step was asked and gave in both runs, line by line. */
export interface StepComparison {
  readonly path: string;
  readonly execution: number;
  readonly prompt: readonly DiffLine[];
  readonly output: readonly DiffLine[];
}

/** Compares two runs as far as they have come. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS and STORE_* errors. */
export function compareJournals(machine: Machine, first: string, second: string): RunComparison {
  const [left, right] = readBoth(machine, first, second);
  const steps = align(left, right).map(compareStep);
  return {
    first: toCompared(left),
    second: toCompared(right),
    start: compareStart(left, right),
    steps,
    divergence: firstDivergence(steps),
  };
}

/** Compares what one step was asked and gave. Also raises RUN_STEP_UNKNOWN. */
export function compareSteps(
  machine: Machine,
  runs: { readonly first: string; readonly second: string },
  step: string,
): readonly StepComparison[] {
  const [left, right] = readBoth(machine, runs.first, runs.second);
  const pairs = align(left, right);
  const wanted = pairs.filter(({ path }) => isPlaceOf(path, step));
  if (wanted.length === 0) {
    const known = [...new Set(pairs.map(({ path }) => path))];
    throw stepUnknown({ run: runs.first, step, known });
  }
  return wanted.map(({ path, execution, first, second }) => ({
    path,
    execution,
    prompt: diffLines(first?.prompt ?? "", second?.prompt ?? ""),
    output: diffLines(first?.output ?? "", second?.output ?? ""),
  }));
}

function readBoth(
  machine: Machine,
  first: string,
  second: string,
): readonly [RunProfile, RunProfile] {
  const [left, right] = [first, second].map((given) => {
    const run = resolveRun(machine.store, given);
    return profileRun(run, readEvents(machine, run));
  });
  if (left === undefined || right === undefined) throw new Error("two runs are compared");
  return [left, right];
}

interface StepPair {
  readonly step: string;
  readonly path: string;
  readonly execution: number;
  readonly first: StepProfile | undefined;
  readonly second: StepProfile | undefined;
}

/** Executions by place and number, those that only the second run has at the end. */
function align(left: RunProfile, right: RunProfile): readonly StepPair[] {
  const firsts = new Map(left.steps.map((step) => [keyOf(step), step]));
  const seconds = new Map(right.steps.map((step) => [keyOf(step), step]));
  const later = right.steps.filter((each) => !firsts.has(keyOf(each)));
  return [...left.steps, ...later].map(({ step, path, execution }) => {
    const key = keyOf({ path, execution });
    return { step, path, execution, first: firsts.get(key), second: seconds.get(key) };
  });
}

function compareStep({ step, path, execution, first, second }: StepPair): ComparedStep {
  const [before, after] = [first?.output ?? null, second?.output ?? null];
  const sameness = before === after ? "same" : "changed";
  return {
    ...{ step, path, execution },
    first: first === undefined ? null : toExecution(first),
    second: second === undefined ? null : toExecution(second),
    output: before === null || after === null ? null : sameness,
    promptChanges: countChanges(first?.prompt ?? null, second?.prompt ?? null),
  };
}

function toExecution(step: StepProfile): ComparedExecution {
  const { status, attempts, durationMs, costUsd, isReused, error } = step;
  return { status, attempts, durationMs, costUsd, isReused, error };
}

function countChanges(before: string | null, after: string | null): LineCounts | null {
  if (before === null || after === null || before === after) return null;
  const lines = diffLines(before, after);
  const countOf = (wanted: DiffLine["kind"]) => lines.filter(({ kind }) => kind === wanted).length;
  return { added: countOf("added"), removed: countOf("removed") };
}

function compareStart({ state: left }: RunProfile, { state: right }: RunProfile): ComparedStart {
  const [first, second] = [left.run, right.run];
  const names = new Set([...Object.keys(first.params), ...Object.keys(second.params)]);
  const isSame = (before: Json = null, after: Json = null) =>
    canonicalJson(before) === canonicalJson(after);
  return {
    isSameDefinition: first.definitionHash === second.definitionHash,
    isSameTask: first.task === second.task,
    isSameInput: isSame(first.input, second.input),
    changedParams: [...names].filter((name) => !isSame(first.params[name], second.params[name])),
  };
}

function firstDivergence(steps: readonly ComparedStep[]): RunComparison["divergence"] {
  for (const { path, execution, first, second, output, promptChanges } of steps) {
    const at = { path, execution };
    if (first === null) return { ...at, what: "only in the second run" };
    if (second === null) return { ...at, what: "only in the first run" };
    if (promptChanges !== null) return { ...at, what: "was asked something else" };
    if (first.status !== second.status)
      return { ...at, what: `${first.status}, then ${second.status}` };
    if (output === "changed") return { ...at, what: "gave something else" };
  }
  return null;
}

function toCompared({ state, status, durationMs, costUsd, messages }: RunProfile): ComparedRun {
  const { id: run, workflow, instance, forkedFrom, reuse } = state.run;
  return {
    ...{ run, workflow, instance, state: status, durationMs, costUsd, messages },
    forkedFrom: forkedFrom?.run ?? null,
    rerunOf: reuse?.run ?? null,
  };
}
