import { z } from "zod";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import { taskMissing } from "../../../workflows/errors.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
import { kickoffShape } from "./kickoff-shape.ts";
import { patternShape } from "./pattern-shape.ts";
import type { GivenInput, WorkflowShape } from "./shape.ts";
import { stepsShape } from "./steps-shape.ts";

/** Every shape of workflow. A new one is a file and a line here. */
export const workflowShapes: readonly WorkflowShape[] = [patternShape, stepsShape, kickoffShape];

/** The shape of a definition, with code of one's own. */
export function shapeOf(
  { shape: name }: Pick<WorkflowDefinition, "shape">,
  code?: WorkflowCode,
): WorkflowShape {
  const shape = shapeNamed(name);
  if (shape === undefined) throw new Error(`the shape ${name} is not registered`);
  return code === undefined ? shape : (shape.with?.(code) ?? shape);
}

/** The shape of a name; undefined when this version has none of it. */
export function shapeNamed(name: unknown): WorkflowShape | undefined {
  return workflowShapes.find((shape) => shape.name === name);
}

/** How journals hold workflows of a shape. */
export function definitionSchema(shape: WorkflowShape): z.ZodType<WorkflowDefinition> {
  return shape.schema(anyDefinition);
}

/** A workflow of any shape: what steps run as a child. */
const anyDefinition: z.ZodType<WorkflowDefinition> = z.lazy(() =>
  z.union(workflowShapes.map(definitionSchema)),
);

/** What speaks against a task or input, and what is worth saying of it. */
export function judgeInput(
  definition: WorkflowDefinition,
  given: GivenInput,
): {
  readonly errors: readonly TroupeError[];
  readonly warnings: readonly TroupeError[];
} {
  const shape = shapeOf(definition);
  return {
    errors: shape.inputErrors(definition, given, needsInput),
    warnings: shape.inputWarnings(definition, given, needsInput),
  };
}

function needsInput(definition: WorkflowDefinition): boolean {
  return judgeInput(definition, {}).errors.some(({ code }) => code === taskMissing.code);
}

/** The program that a journal names; undefined when it is code of whoever started the run. */
export function programNamed(
  name: string,
  code?: WorkflowCode,
): Program<WorkflowDefinition> | undefined {
  for (const shape of workflowShapes) {
    const program = shape.programNamed(name, code);
    if (program !== undefined) return program;
  }
  return undefined;
}
