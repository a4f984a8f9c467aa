import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { StepType } from "../../contracts/ports/step-type.ts";
import type { ReadableShape } from "../resolve/file-shape.ts";

/** What decides how a workflow is written in a file. */
export interface FileTerms {
  readonly shape: ReadableShape;
  readonly types: readonly StepType[];
}

/** An object as somebody wrote it. */
export type Written = { readonly [key: string]: unknown };

/**
 * A workflow as it is said in TypeScript: keys in camelCase, agents and steps by their ids. Plain data; that it
 * makes sense is found out by the loader, as for any file.
 */
export interface WorkflowSketch {
  readonly shape: WorkflowDefinition["shape"];
  /** Absent in a kickoff workflow that is named by its file. */
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly agents: { readonly [id: string]: object } | undefined;
  /** Names of agents that are found elsewhere: agent types, and functions of whoever runs it. */
  readonly foundAgents: readonly string[];
  /** Absent where the shape has none; lists of files in their order. */
  readonly steps: { readonly [id: string]: object } | undefined;
  /** All other keys of the file. */
  readonly settings: Written;
}
