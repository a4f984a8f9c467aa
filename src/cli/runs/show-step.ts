import { stepNotFound } from "../../app/runs/errors.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { StepState } from "../../fold/state/step-state.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { namedFiles } from "../../foundation/named-files.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { readableJson } from "../../foundation/readable-json.ts";

/** A step as `show --json` prints it. */
export interface ShownStep {
  readonly step: string;
  readonly path: string;
  readonly execution: number;
  readonly status: StepState["status"];
  readonly agent: string | null;
  readonly output: string | null;
  /** In a step workflow, when it is not what the output is as JSON; of a failed step what it has although it failed. */
  readonly data: Json;
  readonly outcome: string | null;
  readonly attempts: number;
  readonly durationMs: number | null;
  readonly reason: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** The latest execution of a step, by path or by id. Raises RUN_STEP_NOT_FOUND. */
export function findStep({ run, steps }: RunState, wanted: string): StepState {
  const all = [...steps.byPath.values()];
  const found = steps.byPath.get(wanted) ?? all.findLast(({ step }) => step === wanted);
  if (found !== undefined) return found;
  throw stepNotFound({ run: run.id, step: wanted, known: all.map(({ path }) => path) });
}

/** The public form of a step. */
export function toStepEntry(step: StepState): ShownStep {
  return {
    step: step.step,
    path: step.path,
    execution: step.execution,
    status: step.status,
    agent: step.agent ?? null,
    output: step.status === "completed" ? step.output : null,
    data: dataOf(step),
    outcome: step.status === "completed" ? (step.outcome ?? null) : null,
    attempts: step.attempt,
    durationMs: "durationMs" in step ? step.durationMs : null,
    reason: reasonOf(step),
    error: "error" in step ? { code: step.error.code, message: step.error.message } : null,
  };
}

/** All of one step for people. */
export function stepLines(step: StepState, { steps }: RunState): readonly string[] {
  const entry = toStepEntry(step);
  const check = steps.verifications.get(step.step);
  const tests = steps.changedTests.get(step.step);
  const duration = entry.durationMs === null ? "" : ` in ${formatDuration(entry.durationMs)}`;
  const execution = entry.execution > 1 ? `, execution ${entry.execution}` : "";
  const attempts = entry.attempts > 1 ? `, attempt ${entry.attempts}` : "";
  return [
    `${toPrintable(entry.path)} ${entry.status}${duration}${execution}${attempts}`,
    ...(entry.agent === null ? [] : [`agent   ${toPrintable(entry.agent)}`]),
    ...(entry.reason === null ? [] : [`reason  ${toPrintable(entry.reason)}`]),
    ...(entry.error === null ? [] : section(`error   ${entry.error.code}`, entry.error.message)),
    ...(check === undefined || check.hasPassed
      ? []
      : section(`check   ${toPrintable(check.check)} failed`, check.output)),
    ...(tests === undefined ? [] : section("changed tests", namedFiles(tests))),
    ...(step.status === "completed" ? section("output", step.output) : []),
    ...(entry.data === null ? [] : section("data", readableJson(entry.data))),
    ...(step.status === "completed" && step.text !== step.output ? section("text", step.text) : []),
  ];
}

function dataOf(step: StepState): Json {
  return step.status === "completed" || step.status === "failed" ? (step.data ?? null) : null;
}

function section(title: string, text: string): readonly string[] {
  const lines = toPrintableLines(text.trimEnd()).map((line) => `  ${line}`.trimEnd());
  return text.trim() === "" ? [] : [title, ...lines];
}

function reasonOf(step: StepState): string | null {
  switch (step.status) {
    case "completed":
    case "skipped":
    case "cancelled":
      return step.reason;
    case "blocked":
      return `waits for ${step.by.join(", ")}`;
    case "running":
    case "retrying":
    case "failed":
      return null;
  }
}
