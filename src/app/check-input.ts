import type { PatternDefinition } from "../contracts/definition.ts";
import type { TroupeError } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { resolveParams } from "../workflows/params.ts";
import { missingTask, unusedTask } from "../workflows/task.ts";

/** What a run is started with, checked against its workflow. */
export interface CheckedInput {
  readonly params: { readonly [name: string]: Json };
  /** Everything that keeps the run from starting: params and a missing task. */
  readonly errors: readonly TroupeError[];
  /** What is worth saying and harmless. */
  readonly warnings: readonly TroupeError[];
}

/** Checks task and params before anything starts (WF-8). */
export function checkInput(
  definition: PatternDefinition,
  given: { readonly task?: string; readonly params: { readonly [name: string]: Json } },
): CheckedInput {
  const { values, errors } = resolveParams(definition.params, given.params);
  const missing = missingTask(definition, given.task);
  const unused = unusedTask(definition, given.task);
  return {
    params: values,
    errors: missing === undefined ? errors : [missing, ...errors],
    warnings: unused === undefined ? [] : [unused],
  };
}
