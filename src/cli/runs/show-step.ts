import { stepNotFound } from "../../app/runs/errors.ts";
import { outputCommand, showStepCommand } from "../../contracts/failure.ts";
import { commandFacts, commandInData } from "../../contracts/step-facts.ts";
import { type FailedStep, printedBy, shownMessage, stepReport } from "../../fold/failed-output.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { StepState } from "../../fold/state/step-state.ts";
import { isLetGo } from "../../fold/waiting.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { namedFiles } from "../../foundation/named-files.ts";
import { present } from "../../foundation/present.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { readableJson } from "../../foundation/readable-json.ts";
import { asCalled } from "../command/suggested-commands.ts";
import { alignColumns } from "../terminal/table.ts";
import { labelledPath, shownStepStatus } from "../view/final-summary.ts";

/** A step as `show --json` prints it. */
export interface ShownStep {
  readonly step: string;
  readonly path: string;
  readonly execution: number;
  readonly status: StepState["status"];
  readonly agent: string | null;
  /** The item of a list that it is for; absent for a step that is for none. */
  readonly label?: string;
  readonly output: string | null;
  /** In a step workflow, when it is not what the output is as JSON; of a failed step what it has although it failed. */
  readonly data: Json;
  readonly outcome: string | null;
  readonly attempts: number;
  readonly durationMs: number | null;
  readonly reason: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A step as `show --step --json` prints it: with what its command, check or command agent printed. */
export interface ShownStepOutput extends ShownStep {
  /** Null after a signal or a timeout, and where no command ran. */
  readonly exitCode: number | null;
  /** The beginning and the end of what it printed; null where no command ran. */
  readonly stdout: string | null;
  readonly stderr: string | null;
}

/**
 * The latest executions of the steps that are meant: by path one, by id as many as there are items of a list for which
 * the step was carried out, by the label of an item those for it. Raises RUN_STEP_NOT_FOUND.
 */
export function findSteps(
  { run, steps }: RunState,
  wanted: string,
): readonly [StepState, ...StepState[]] {
  const all = [...steps.byPath.values()];
  const exact = steps.byPath.get(wanted) ?? all.find((step) => labelledPath(step) === wanted);
  if (exact !== undefined) return [exact];
  const named = all.filter(({ step }) => step === wanted);
  const items = named.length > 0 ? named : all.filter(({ label }) => label === wanted);
  const [first, ...others] = items;
  if (first !== undefined) return [first, ...others];
  throw stepNotFound({ run: run.id, step: wanted, known: all.map(({ path }) => path) });
}

/** The public form of a step that was asked for. */
export function toStepOutput(step: StepState, state: RunState): ShownStepOutput {
  return { ...toStepEntry(step), ...streamsOf(step, state) };
}

/** The public form of a step. */
export function toStepEntry(step: StepState): ShownStep {
  return {
    step: step.step,
    path: step.path,
    execution: step.execution,
    status: step.status,
    agent: step.agent ?? null,
    ...present({ label: step.label }),
    output: step.status === "completed" ? step.output : null,
    data: dataOf(step),
    outcome: step.status === "completed" ? (step.outcome ?? null) : null,
    attempts: step.attempt,
    durationMs: "durationMs" in step ? step.durationMs : null,
    reason: reasonOf(step),
    error: "error" in step ? { code: step.error.code, message: step.error.message } : null,
  };
}

interface StepTelling {
  readonly isCarriedOut: boolean;
  /** Whether only what its command printed is wanted. */
  readonly isOutput: boolean;
}

/** All of one step for people, or which of several there are. */
export function stepsLines(
  [first, ...others]: readonly [StepState, ...StepState[]],
  state: RunState,
  telling: StepTelling,
): readonly string[] {
  if (others.length === 0) return stepLines(first, state, telling);
  const isAtRest = !telling.isCarriedOut || isLetGo(state);
  const rows = [first, ...others].map((step) => {
    const code = "error" in step ? `[${step.error.code}]` : "";
    return [labelledPath(step), shownStepStatus(step, isAtRest), code];
  });
  const last = others.at(-1) ?? first;
  return [
    ...alignColumns(rows),
    `one of them: ${asCalled(showStepCommand(state.run.id, last.path))}`,
  ];
}

/** All of one step for people. */
function stepLines(
  step: StepState,
  state: RunState,
  { isCarriedOut, isOutput }: StepTelling,
): readonly string[] {
  const { steps } = state;
  if (isOutput) return outputLines(step, state);
  const status = shownStepStatus(step, !isCarriedOut || isLetGo(state));
  const entry = toStepOutput(step, state);
  const check = steps.verifications.get(step.step);
  const tests = steps.changedTests.get(step.step);
  const duration = entry.durationMs === null ? "" : ` in ${formatDuration(entry.durationMs)}`;
  const execution = entry.execution > 1 ? `, execution ${entry.execution}` : "";
  const attempts = entry.attempts > 1 ? `, attempt ${entry.attempts}` : "";
  return [
    `${labelledPath(step)} ${status}${duration}${execution}${attempts}`,
    ...(entry.agent === null ? [] : [`agent   ${toPrintable(entry.agent)}`]),
    ...(entry.reason === null ? [] : [`reason  ${toPrintable(entry.reason)}`]),
    ...(step.status === "failed" ? failureSection(step, state) : []),
    ...(step.status === "retrying"
      ? section(`error   ${step.error.code}`, shownMessage(step.error))
      : []),
    ...(check === undefined || check.hasPassed || step.status === "failed"
      ? []
      : section(`check   ${toPrintable(check.check)} failed`, check.output)),
    ...(tests === undefined ? [] : section("changed tests", namedFiles(tests))),
    ...(step.status === "completed" ? section("output", step.output) : []),
    ...(entry.data === null || entry.stdout !== null
      ? []
      : section("data", readableJson(entry.data))),
    ...(step.status === "completed" && step.text !== step.output ? section("text", step.text) : []),
  ];
}

function failureSection(step: FailedStep, state: RunState): readonly string[] {
  const { message, lines, isCut } = stepReport(state, step);
  const all = outputCommand(state.run.id, step.path);
  return [
    ...section(`error   ${step.error.code}`, message),
    ...section("report", lines.join("\n")),
    ...(isCut ? [`all of it: ${asCalled(all)}`] : []),
    ...(step.said === "" ? [] : section("said", step.said)),
  ];
}

/** Both streams of what a step ran, or what its agent said. */
function outputLines(step: StepState, state: RunState): readonly string[] {
  const { stdout, stderr } = streamsOf(step, state);
  const said = step.status === "failed" ? step.said : "";
  const output = step.status === "completed" ? step.output : said;
  return [
    ...section("stdout", stdout ?? ""),
    ...section("stderr", stderr ?? ""),
    ...(stdout === null ? section("output", output) : []),
  ];
}

function streamsOf(
  step: StepState,
  state: RunState,
): Pick<ShownStepOutput, "exitCode" | "stdout" | "stderr"> {
  if (step.status === "failed") {
    const { exitCode = null, stdout = null, stderr = null } = printedBy(state, step) ?? {};
    return { exitCode, stdout, stderr };
  }
  if (step.status !== "completed") return { exitCode: null, stdout: null, stderr: null };
  const { command, output } = step;
  const ended =
    command === undefined ? commandInData(step.data ?? null) : { ...command, stdout: output };
  return commandFacts(ended);
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
