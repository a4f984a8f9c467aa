import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { resolveParams } from "../../workflows/params.ts";
import { judgeInput } from "./shapes/registry.ts";
import type { GivenInput } from "./shapes/shape.ts";

/** What a run is started with, checked against its workflow. */
export interface CheckedInput {
  readonly params: { readonly [name: string]: Json };
  /** Everything that keeps the run from starting: params, and a missing task or input. */
  readonly errors: readonly TroupeError[];
  /** What is worth saying and harmless. */
  readonly warnings: readonly TroupeError[];
}

/** Checks task, input and params before anything starts (WF-8). */
export async function checkInput(
  definition: WorkflowDefinition,
  given: GivenInput & { readonly params: { readonly [name: string]: Json } },
): Promise<CheckedInput> {
  const { values, errors } = resolveParams(definition.params, given.params);
  const judged = await judgeInput(definition, given);
  return { ...judged, params: values, errors: [...judged.errors, ...errors] };
}
