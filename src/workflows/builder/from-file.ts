import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { isRecord } from "../../foundation/json.ts";
import { stepsFileSchema } from "../schema/steps-file-schema.ts";
import { memberSchemasOf, spellMembers } from "./spell-keys.ts";
import { keySteps } from "./step-keys.ts";
import type { FileTerms, WorkflowSketch, Written } from "./workflow-sketch.ts";

/** A file that was loaded without errors. */
export interface SketchedFile {
  /** As it is written, before anything is resolved. */
  readonly content: Written;
  readonly definition: WorkflowDefinition;
}

/** What a valid file says, as TypeScript says it. */
export function fromFile({ content, definition }: SketchedFile, terms: FileTerms): WorkflowSketch {
  const { isTyped } = terms.shape;
  const spelt = isTyped ? spellStepsFile(content) : content;
  const { id, name, description, agents, steps, ...settings } = spelt;
  const said = agents === undefined ? undefined : keyed(agents);
  return {
    shape: definition.shape,
    name: definition.name,
    description: typeof description === "string" ? description : undefined,
    agents: said,
    foundAgents: isTyped ? foundIn(definition, said) : [],
    steps: Array.isArray(steps) ? stepsOf(steps, terms) : undefined,
    settings,
  };
}

function spellStepsFile(content: Written): Written {
  const { steps: _, ...members } = memberSchemasOf(stepsFileSchema({}));
  return spellMembers(content, members, "code");
}

function stepsOf(
  steps: readonly unknown[],
  { shape, types }: FileTerms,
): { readonly [id: string]: Written } {
  if (shape.isTyped) return keySteps(steps, new Map(types.map((type) => [type.name, type])));
  return Object.fromEntries(steps.filter(isRecord).map(({ id, ...step }) => [String(id), step]));
}

/** Agents by their ids, however the file has them. */
function keyed(agents: unknown): { readonly [id: string]: Written } {
  if (Array.isArray(agents))
    return Object.fromEntries(
      agents.filter(isRecord).map(({ id, ...agent }) => [String(id), agent]),
    );
  if (!isRecord(agents)) return {};
  return Object.fromEntries(
    Object.entries(agents).map(([id, agent]) => [id, isRecord(agent) ? agent : {}]),
  );
}

function foundIn({ agents }: WorkflowDefinition, said: Written = {}): readonly string[] {
  return agents.map(({ id }) => id).filter((id) => !Object.hasOwn(said, id));
}
