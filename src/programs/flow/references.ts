import type { TraitsOf } from "../../contracts/backend.ts";
import type { StepsDefinition } from "../../contracts/definition.ts";
import { hasOneLanguage } from "../../contracts/definition-format.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { StepType } from "../../contracts/ports/step-type.ts";
import { templatesOf } from "../../contracts/step.ts";
import { isJsonArray, type Json } from "../../foundation/json.ts";
import { expressionPaths } from "../language/expressions/syntax.ts";
import { promptVariables } from "../language/templates/prompt-template.ts";
import { promptOf } from "../steps/parts/agent-prompt.ts";
import type { StepTexts } from "./step-texts.ts";

/** What a step and those inside of it look at. */
export interface References {
  /** Whether it is given everything there is. */
  readonly isWhole: boolean;
  /** Whether it looks at the data of the step before, whichever that is. */
  readonly looksBack: boolean;
  /** Names of the context, sorted. */
  readonly names: readonly string[];
  /** Steps whose ends it looks at, sorted; these are names of the context too. */
  readonly steps: readonly string[];
  /** Ids of agents that it uses. */
  readonly agents: readonly string[];
  /** Names of workflows that it runs. */
  readonly workflows: readonly string[];
}

/** What references are found with. */
export interface ReferenceParts {
  readonly definition: StepsDefinition;
  readonly texts: StepTexts;
  readonly typeOf: (step: FlowStep) => StepType;
  readonly traitsOf: TraitsOf;
}

/** All that a step may take in, as far as its texts tell. Raises what parsing them raises. */
export function referencesOf(step: FlowStep, parts: ReferenceParts): References {
  const found = {
    isWhole: false,
    looksBack: false,
    names: new Set<string>(),
    steps: new Set<string>(),
    agents: new Set<string>(),
  };
  const workflows = new Set<string>();
  const visit = (each: FlowStep) => {
    const type = parts.typeOf(each);
    const settings = type.settings.parse(each.settings);
    for (const agent of type.agents?.(settings) ?? []) found.agents.add(agent);
    for (const { key } of type.workflows?.(settings) ?? []) workflows.add(key);
    if (each.input !== undefined) found.names.add(each.input);
    if (type.takesWholeInput?.(settings, parts.definition, parts.traitsOf) === true)
      found.isWhole = true;
    if (type.looksBack?.(settings) === true) found.looksBack = true;
    for (const path of textPaths(each, type, parts)) see(path, found);
    for (const text of each.verify.flatMap(templatesOf))
      for (const path of templatePaths(text, parts)) see(path, found);
    for (const inner of each.steps) visit(inner);
  };
  visit(step);
  for (const agent of found.agents) {
    const prompt = promptOf(parts.definition, agent);
    if (prompt === undefined) continue;
    for (const path of templatePaths(prompt, parts)) see(path, found);
  }
  // In runs of format 1 the name stands for nothing, or for something of the file's own.
  const steps = hasOneLanguage(parts.definition) ? found.steps : [];
  return {
    isWhole: found.isWhole,
    looksBack: found.looksBack,
    names: [...new Set([...found.names, ...steps])].sort(),
    steps: [...steps].sort(),
    agents: [...found.agents].sort(),
    workflows: [...workflows].sort(),
  };
}

type Path = readonly string[];

function see(
  [root, name]: Path,
  found: { isWhole: boolean; names: Set<string>; steps: Set<string> },
): void {
  if (root === "steps" && name !== undefined) found.steps.add(name);
  if (root !== "context" && root !== "errors") return;
  // Whoever looks at all of it, or at what went wrong, may see anything.
  if (root === "errors" || name === undefined) found.isWhole = true;
  if (name !== undefined) found.names.add(name);
}

/** The paths that a step names in expressions and templates, steps inside of it left out. Raises what parsing them raises. */
export function textPaths(
  step: FlowStep,
  type: StepType,
  parts: Pick<ReferenceParts, "texts">,
): readonly Path[] {
  const expressions = type.expressions.flatMap((key) => textsIn(step.settings[key]));
  const templates = type.templates.flatMap((key) => textsIn(step.settings[key]));
  return [
    ...[...expressions, ...(step.when === undefined ? [] : [step.when])].flatMap((text) =>
      expressionPaths(parts.texts.expression(text)).map(({ segments }) => segments),
    ),
    ...templates.flatMap((text) => templatePaths(text, parts)),
  ];
}

/** The paths that a template names. Raises WORKFLOW_TEMPLATE_SYNTAX. */
export function templatePaths(
  text: string,
  { texts }: Pick<ReferenceParts, "texts">,
): readonly Path[] {
  return promptVariables(texts.template(text)).map(({ segments }) => segments);
}

/** The texts of a setting: itself, or all in a list or an object. */
function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === undefined || value === null || typeof value !== "object") return [];
  return (isJsonArray(value) ? value : Object.values(value)).flatMap(textsIn);
}
