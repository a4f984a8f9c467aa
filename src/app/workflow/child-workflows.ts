import type { WorkflowDefinition } from "../../contracts/definition.ts";

/** The definitions of all workflows that a run of this one may start, itself first. */
export function definitionsIn(definition: WorkflowDefinition): readonly WorkflowDefinition[] {
  return [definition, ...Object.values(workflowsOf(definition)).flatMap(definitionsIn)];
}

/** The workflows that a run of this one may start, by the name under which it asks for them. */
export function workflowsOf(definition: WorkflowDefinition): {
  readonly [name: string]: WorkflowDefinition;
} {
  return "workflows" in definition ? definition.workflows : {};
}
