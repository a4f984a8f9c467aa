import { z } from "zod";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import { nearestName } from "../../../foundation/near-names.ts";
import { textAt } from "../../../workflows/checks/file-view.ts";
import { taskMissing } from "../../../workflows/errors.ts";
import type { KnownShape } from "../../../workflows/resolve/file-shape.ts";
import { entryOf, type MapNode } from "../../../workflows/source/source-node.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
import type { GivenInput, WorkflowShape } from "./shape.ts";

/** What is known of a shape before there is a workflow of it; what reads its files and what runs them is loaded then. */
export interface ShapeEntry extends KnownShape {
  load(): Promise<WorkflowShape>;
}

/** Every shape of workflow; the first that fits is that of a file. A new one is a file and a line here. */
export const workflowShapes: readonly ShapeEntry[] = [
  {
    name: "pattern",
    fits: (root) => root.entries.has("pattern"),
    patternsIn: (root) => [textAt(root, "pattern")?.text ?? ""],
    loadFile: async () => (await import("../../../workflows/shapes/pattern-file.ts")).patternFile,
    load: async () => (await import("./pattern-shape.ts")).patternShape,
  },
  {
    name: "steps",
    isTyped: true,
    fits: hasTypedStep,
    loadFile: async () => (await import("../../../workflows/shapes/steps-file.ts")).stepsFile,
    load: async () => (await import("./steps-shape.ts")).loadStepsShape(),
  },
  {
    name: "kickoff",
    fits: hasNamedAgents,
    loadFile: async () => (await import("../../../workflows/shapes/kickoff-file.ts")).kickoffFile,
    load: async () => (await import("./kickoff-shape.ts")).kickoffShape,
  },
];

function hasTypedStep(root: MapNode): boolean {
  const steps = entryOf(root, "steps")?.node;
  return steps?.kind === "list" && steps.items.some((step) => entryOf(step, "type") !== undefined);
}

/** A map of agents; but whoever misspelt `pattern` means another shape. */
function hasNamedAgents(root: MapNode): boolean {
  const agents = entryOf(root, "agents")?.node;
  const keys = [...root.entries.keys()];
  return agents?.kind === "map" && !keys.some((key) => nearestName(key, ["pattern"]) !== undefined);
}

/** The entry of a definition's shape. */
export function findShape({ shape: name }: Pick<WorkflowDefinition, "shape">): ShapeEntry {
  const shape = shapeNamed(name);
  if (shape === undefined) throw new Error(`the shape ${name} is not registered`);
  return shape;
}

/** The shape of a definition, loaded, with code of one's own. */
export async function shapeOf(
  definition: Pick<WorkflowDefinition, "shape">,
  code?: WorkflowCode,
): Promise<WorkflowShape> {
  const shape = await findShape(definition).load();
  return code === undefined ? shape : (shape.with?.(code) ?? shape);
}

/** The shape of a name; undefined when this version has none of it. */
export function shapeNamed(name: unknown): ShapeEntry | undefined {
  return workflowShapes.find((shape) => shape.name === name);
}

/** How journals hold workflows of a shape. */
export async function definitionSchema(
  shape: WorkflowShape,
): Promise<z.ZodType<WorkflowDefinition>> {
  // What a workflow runs as its child may be of any shape.
  const others = shape.children === undefined ? [] : workflowShapes;
  const shapes = await Promise.all(others.map((other) => other.load()));
  const any: z.ZodType<WorkflowDefinition> = z.lazy(() =>
    z.union(shapes.map((other) => other.schema(any))),
  );
  return shape.schema(any);
}

/** What speaks against a task or input, and what is worth saying of it. */
export async function judgeInput(
  definition: WorkflowDefinition,
  given: GivenInput,
): Promise<{
  readonly errors: readonly TroupeError[];
  readonly warnings: readonly TroupeError[];
}> {
  const shape = await shapeOf(definition);
  return {
    errors: await shape.inputErrors(definition, given, needsInput),
    warnings: await shape.inputWarnings(definition, given, needsInput),
  };
}

async function needsInput(definition: WorkflowDefinition): Promise<boolean> {
  const { errors } = await judgeInput(definition, {});
  return errors.some(({ code }) => code === taskMissing.code);
}
