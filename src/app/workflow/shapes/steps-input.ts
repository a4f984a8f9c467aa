import { describeBackend } from "../../../agents/backends/registry.ts";
import type { StepsDefinition } from "../../../contracts/definition.ts";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import { templatesOf } from "../../../contracts/step.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import { isJsonArray, type Json } from "../../../foundation/json.ts";
import { flowSteps } from "../../../programs/flow/flow-steps.ts";
import { templatePaths, textPaths } from "../../../programs/flow/references.ts";
import { StepTexts } from "../../../programs/flow/step-texts.ts";
import { scanTemplate, templateVariables } from "../../../programs/language/templates/template.ts";
import { promptOf } from "../../../programs/steps/parts/agent-prompt.ts";
import { taskMissing, taskUnused } from "../../../workflows/errors.ts";
import type { StepTypeFinder } from "./find-step-type.ts";
import type { GivenInput, NeedsInput } from "./shape.ts";

/** Something of a workflow that takes in its input. */
interface InputUse {
  /** In words: `the prompt of step "plan" uses {{input}}`. */
  readonly user: string;
  /** Whether it gets along without. */
  readonly isOptional: boolean;
}

/** What tells how a workflow takes in its input. */
export interface InputKnowledge {
  readonly types: StepTypeFinder;
  readonly needsInput: NeedsInput;
}

/** WORKFLOW_TASK_MISSING when the workflow takes an input in and none was given. */
export async function inputErrors(
  definition: StepsDefinition,
  { input }: GivenInput,
  knowledge: InputKnowledge,
): Promise<readonly TroupeError[]> {
  if (input !== undefined) return [];
  const uses = await inputUses(definition, knowledge);
  const need = uses.find(({ isOptional }) => !isOptional);
  if (need === undefined) return [];
  return [taskMissing({ workflow: definition.name, user: need.user, what: "an input" })];
}

/** WORKFLOW_TASK_UNUSED when an input was given that nothing takes in. */
export async function inputWarnings(
  definition: StepsDefinition,
  { input }: GivenInput,
  knowledge: InputKnowledge,
): Promise<readonly TroupeError[]> {
  if (input === undefined) return [];
  const uses = await inputUses(definition, knowledge);
  if (uses.length > 0) return [];
  const place = "put {{input}} into the prompt of a step";
  return [taskUnused({ workflow: definition.name, what: "its input", place })];
}

async function inputUses(
  definition: StepsDefinition,
  knowledge: InputKnowledge,
): Promise<readonly InputUse[]> {
  const texts = new StepTexts();
  const parts = { definition, texts, ...knowledge };
  const ofSteps = flowSteps(definition.steps).map(({ step }) => usesOf(step, parts));
  return [
    ...definition.agents.flatMap((agent) => {
      const template = promptOf(definition, agent.id);
      const prompts = template === undefined ? [] : templatePaths(template, { texts });
      const own = ownTexts(agent).flatMap((text) =>
        templateVariables(scanTemplate(text)).map(({ segments }) => segments),
      );
      return [...prompts, ...own].some(isInput)
        ? [{ user: `agent "${agent.id}" uses {{input}}`, isOptional: false }]
        : [];
    }),
    ...(await Promise.all(ofSteps)).flat(),
  ];
}

interface UseParts extends InputKnowledge {
  readonly definition: StepsDefinition;
  readonly texts: StepTexts;
}

async function usesOf(
  step: FlowStep,
  { definition, texts, types, needsInput }: UseParts,
): Promise<readonly InputUse[]> {
  const known = types.read(step);
  // What the code of a user does with the input is not known.
  if (known === undefined) return [{ user: `step "${step.id}"`, isOptional: true }];
  const { type, settings } = known;
  const named = [
    ...textPaths(step, type, { texts }),
    ...step.verify.flatMap(templatesOf).flatMap((text) => templatePaths(text, { texts })),
  ];
  if (named.some(isInput)) return [{ user: `step "${step.id}" uses input`, isOptional: false }];
  const isGiven = type.takesWholeInput?.(settings, definition, describeBackend) === true;
  const children = (type.workflows?.(settings) ?? []).map(({ key }) =>
    Object.hasOwn(definition.workflows, key) ? definition.workflows[key] : undefined,
  );
  const handsOn = step.input === undefined && step.settings["with"] === undefined;
  if (children.length > 0 && !handsOn) return [];
  // A child without an input of its own takes that of the workflow around it.
  if (children.length > 0)
    return Promise.all(
      children.map(async (child) => {
        const isOptional = child === undefined || !(await needsInput(child));
        return { user: `step "${step.id}" hands it to a workflow that needs one`, isOptional };
      }),
    );
  if (!isGiven) return [];
  const agents = type.agents?.(settings) ?? [];
  const isProgram = agents.every((agent) =>
    definition.agents.some(
      ({ id, backend }) => id === agent && describeBackend(backend)?.worker === "program",
    ),
  );
  return [{ user: `step "${step.id}" has no prompt of its own`, isOptional: isProgram }];
}

function isInput([root]: readonly string[]): boolean {
  return root === "input";
}

/** The texts of an agent that are filled in when it is spawned. */
function ownTexts({ name = "", env = {}, settings = {} }: StepsDefinition["agents"][number]) {
  const { command, args, systemPrompt } = settings;
  return [name, ...Object.values(env), ...[command, args, systemPrompt].flatMap(textsIn)];
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === undefined || value === null || typeof value !== "object") return [];
  return isJsonArray(value) ? value.flatMap(textsIn) : [];
}
