import type { TraitsOf } from "../contracts/backend.ts";
import type { PatternDefinition } from "../contracts/definition.ts";
import { type StepSpec, templatesOf } from "../contracts/step.ts";
import type { TroupeError } from "../foundation/errors.ts";
import { isJsonArray, type Json } from "../foundation/json.ts";
import { parseExpression } from "../programs/language/expressions/parse-expression.ts";
import { expressionPaths } from "../programs/language/expressions/syntax.ts";
import { scanTemplate, templateVariables } from "../programs/language/templates/template.ts";
import { taskMissing, taskUnused } from "./errors.ts";

/** WORKFLOW_TASK_MISSING when the workflow needs a task and none was given. */
export function missingTask(
  definition: PatternDefinition,
  task: string | undefined,
  traitsOf: TraitsOf,
): TroupeError | undefined {
  const user = task === undefined ? taskNeed(definition, traitsOf) : undefined;
  return user === undefined ? undefined : taskMissing({ workflow: definition.name, user });
}

/** WORKFLOW_TASK_UNUSED, a warning, when a task was given that nothing will see. */
export function unusedTask(
  definition: PatternDefinition,
  task: string | undefined,
  traitsOf: TraitsOf,
): TroupeError | undefined {
  const isUsed =
    taskNeed(definition, traitsOf) !== undefined ||
    definition.steps.length === 0 ||
    definition.steps.some(({ prompt, run }) => prompt === undefined && run === undefined);
  return task === undefined || isUsed ? undefined : taskUnused({ workflow: definition.name });
}

/** What needs a task, in words; undefined when the workflow runs without one. */
export function taskNeed(definition: PatternDefinition, traitsOf: TraitsOf): string | undefined {
  const backends = new Map(definition.agents.map(({ id, backend }) => [id, backend]));
  // A program may get along without.
  const isOptional = (agent: string) => traitsOf(backends.get(agent) ?? "")?.worker === "program";
  for (const agent of definition.agents) {
    if (agentTexts(agent).some(namesTask)) return `agent "${agent.id}" uses {{task}}`;
    // Who has a part of its own, or a goal that the file names, does not need it.
    const asks = agent.shadow === undefined && (agent.task ?? definition.goal) === undefined;
    if (asks && definition.steps.length === 0 && !isOptional(agent.id))
      return `agent "${agent.id}" gets it as its prompt`;
  }
  if (namesTask(definition.goal ?? "")) return `the goal of ${definition.pattern} uses {{task}}`;
  for (const step of definition.steps) {
    const { agent } = step;
    if (step.prompt === undefined && agent !== undefined && !isOptional(agent))
      return `step "${step.id}" has no prompt of its own`;
    const checks = step.verify.flatMap(templatesOf);
    const own = [step.run?.command ?? [], Object.values(step.run?.env ?? {})].flat();
    if ([step.prompt ?? "", ...own, ...checks, ...undoingTexts(step)].some(namesTask))
      return `step "${step.id}" uses {{task}}`;
    if (step.when !== undefined && conditionNamesTask(step.when))
      return `the condition of step "${step.id}" uses task`;
  }
  return undefined;
}

function undoingTexts({ compensate }: StepSpec): readonly string[] {
  if (compensate === undefined) return [];
  return "run" in compensate ? [compensate.run.command].flat() : [compensate.prompt];
}

function agentTexts(agent: PatternDefinition["agents"][number]): readonly string[] {
  const { command, args, systemPrompt } = agent.settings ?? {};
  return [
    agent.task ?? "",
    ...Object.values(agent.env ?? {}),
    ...[command, args, systemPrompt].flatMap((value) => textsOf(value)),
  ];
}

function textsOf(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === undefined || !isJsonArray(value)) return [];
  return value.filter((item) => typeof item === "string");
}

function namesTask(text: string): boolean {
  return templateVariables(scanTemplate(text)).some(({ name }) => name === "task");
}

function conditionNamesTask(text: string): boolean {
  return expressionPaths(parseExpression(text)).some(({ segments }) => segments[0] === "task");
}
