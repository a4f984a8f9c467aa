import type { StepType } from "../../contracts/ports/step-type.ts";
import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import { stepsFileSchema } from "../schema/steps-file-schema.ts";
import { memberSchemasOf, spellMembers } from "./spell-keys.ts";
import { listSteps } from "./step-keys.ts";
import type { FileTerms, WorkflowSketch, Written } from "./workflow-sketch.ts";

/** The content of a workflow file. */
export type FileContent = { readonly [key: string]: Json };

/** The file that says the same as a sketch. Raises VALUE_NOT_JSON. */
export function toFile(sketch: WorkflowSketch, { shape, types }: FileTerms): FileContent {
  const content = shape.isTyped ? toStepsFile(sketch, types) : toPlainFile(sketch);
  const json = toJson(content, `the workflow "${sketch.name ?? "without a name"}"`);
  return isContent(json) ? json : {};
}

function toStepsFile(
  { steps = {}, ...sketch }: WorkflowSketch,
  types: readonly StepType[],
): Written {
  const { steps: _, ...members } = memberSchemasOf(stepsFileSchema({}));
  const { name, ...head } = headOf(sketch);
  const root = { ...head, ...sketch.settings, ...agentsOf(sketch) };
  const { $schema, ...rest } = spellMembers(root, members, "file");
  return {
    ...($schema === undefined ? {} : { $schema }),
    id: name,
    ...rest,
    steps: listSteps(steps, new Map(types.map((type) => [type.name, type]))),
  };
}

/** Other files are written in camelCase as they are. */
function toPlainFile({ steps, ...sketch }: WorkflowSketch): Written {
  const { $schema, version, ...settings } = sketch.settings;
  return {
    ...($schema === undefined ? {} : { $schema }),
    ...(version === undefined ? {} : { version }),
    ...headOf(sketch),
    ...settings,
    ...agentsOf(sketch),
    ...(steps === undefined
      ? {}
      : { steps: Object.entries(steps).map(([id, step]) => ({ id, ...step })) }),
  };
}

function headOf({ name, description }: Pick<WorkflowSketch, "name" | "description">): Written {
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
}

function agentsOf({ agents }: Pick<WorkflowSketch, "agents">): Written {
  return agents === undefined ? {} : { agents };
}

function isContent(value: Json): value is FileContent {
  return isRecord(value);
}
