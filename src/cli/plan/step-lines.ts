import type { RunPlan } from "../../app/plan/run-plan.ts";
import type { PlannedStep } from "../../app/workflow/shapes/planned-step.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import type { Settings } from "../terminal/settings.ts";
import { budgetText, shownCommand } from "./plan-words.ts";

type Prompt = RunPlan["prompts"][number];

/** One step: who does it, how often, what must hold, and all that its agent is told. */
export function plannedStepLines(
  step: PlannedStep,
  plan: RunPlan,
  { paint }: Settings,
): readonly string[] {
  const prompts = plan.prompts.filter((prompt) => prompt.step === step.id);
  const after = step.dependsOn.length === 0 ? "" : `, after ${step.dependsOn.join(", ")}`;
  const title = `${paint(toPrintable(step.id), "message")}${toPrintable(workerOf(step) + after)}`;
  return [
    `  ${title}`,
    ...factsOf(step).map((line) => `    ${toPrintable(line)}`),
    ...(prompts.length === 0 && step.type === null
      ? ["    told: not known, because the run does not come this far"]
      : prompts.flatMap(promptLines)),
  ];
}

function workerOf({ agent, type }: PlannedStep): string {
  const kind = type === null || type === "agent" ? "" : `, ${type}`;
  return agent === null ? kind : `${kind} by ${agent}`;
}

/** What an agent is told, whole. */
export function promptLines({ agent, text }: Prompt): readonly string[] {
  return [
    `    ${toPrintable(agent)} is told`,
    ...toPrintableLines(text).map((line) => `      ${line}`.trimEnd()),
  ];
}

function factsOf(step: PlannedStep): readonly string[] {
  const { when, verify, budget, fallback, escalateTo } = step;
  const helpers = [...fallback, ...(escalateTo === null ? [] : [`${escalateTo} (escalation)`])];
  return [
    ...(when === null ? [] : [`when ${when}: decided at run time`]),
    ...Object.entries(step.settings).map(([key, value]) => `${key}: ${shownCommand(value)}`),
    attemptsOf(step),
    ...doneLines(step),
    ...routeLines(step),
    ...verify.map((check) => `checked: ${checkText(check)}`),
    ...(helpers.length === 0 ? [] : [`if it fails: ${helpers.join(", then ")}`]),
    ...(budget === null ? [] : [`budget: ${budgetText(budget)}`]),
  ];
}

function doneLines({ expects, type }: PlannedStep): readonly string[] {
  if (expects !== null) return [`done when it says ${expects}`];
  return type === null ? ["done when its turn ends"] : [];
}

function routeLines({ routes }: PlannedStep): readonly string[] {
  const ways = Object.entries(routes).map(([key, to]) => `${key} → ${to}`);
  return ways.length === 0 ? [] : [`goes on: ${ways.join(", ")}`];
}

function attemptsOf({ maxAttempts, retryDelayMs, timeoutMs }: PlannedStep): string {
  const wait = maxAttempts === 1 ? "" : `, the second after ${formatDuration(retryDelayMs)}`;
  const limit = timeoutMs === null ? "" : `, each at most ${formatDuration(timeoutMs)}`;
  return `${maxAttempts === 1 ? "" : "up to "}${count(maxAttempts, "attempt")}${wait}${limit}`;
}

function checkText(check: VerificationSpec): string {
  const { protect = [] } = check;
  return `${conditionOf(check)}${protect.length === 0 ? "" : `, ${protect.join(", ")} as before`}`;
}

function conditionOf(check: VerificationSpec): string {
  switch (check.kind) {
    case "command": {
      const limit =
        check.timeoutMs === undefined ? "" : ` within ${formatDuration(check.timeoutMs)}`;
      const { command, expectExit } = check;
      const text = typeof command === "string" ? command : shownCommand([...command]);
      return `${text} exits with ${expectExit}${limit}`;
    }
    case "fileExists":
      return `there is ${check.path}`;
    case "outputMatches":
      return `the output matches ${check.pattern}`;
    case "jsonSchema":
      return `the output is JSON of the schema ${JSON.stringify(check.schema)}`;
    case "gitChanged":
      return check.changed
        ? "files of the repository changed"
        : "no file of the repository changed";
  }
}
