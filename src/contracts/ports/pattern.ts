import type { z } from "zod";
import type { FailurePolicy, PatternDefinition } from "../definition.ts";
import type { WorkflowGraph } from "../graph.ts";
import type { Context } from "./context.ts";
import type { ProgramResult } from "./program.ts";

/** A way to organise agents (SPEC section 9). Adding one is a file and a line in the registry. */
export interface Pattern {
  readonly name: string;
  /** One sentence for lists. */
  readonly summary: string;
  /** Schema of the pattern's own block in a workflow file; absent when it has none. */
  readonly block?: z.ZodType;
  /** The key of that block. Defaults to the name in camelCase. */
  readonly blockKey?: string;
  /** What a failed step means unless the file says otherwise. */
  readonly onFailure: FailurePolicy;
  /** Whether `dependsOn` orders the steps. */
  readonly order: "list" | "graph" | "none";
  /** Ids of the steps whose outputs are what it was done for. Defaults to those that no other step depends on. */
  results?(definition: PatternDefinition): readonly string[];
  /** What a workflow of this pattern looks like. Defaults to its steps in the pattern's order. */
  graph?(definition: PatternDefinition): WorkflowGraph;
  run(context: Context, definition: PatternDefinition): Promise<ProgramResult>;
}

/** Declares a pattern. */
export function definePattern(pattern: Pattern): Pattern {
  return pattern;
}
