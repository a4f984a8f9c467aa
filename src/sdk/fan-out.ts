import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import { beginRun } from "./begin-run.ts";
import { buildWorkflow, type TaskDefinition, type WorkflowOptions } from "./task-definition.ts";

export interface FanOutOptions extends WorkflowOptions {
  /** Cancel the others as soon as one has failed. Defaults to false. */
  readonly failFast?: boolean;
}

/**
 * Runs independent tasks side by side. `result` resolves when all are done, whatever came out of them.
 *
 * @example
 * ```ts
 * const run = fanOut([
 *   { name: "types", task: "check types", command: ["npx", "tsc", "--noEmit"] },
 *   { name: "tests", task: "run the tests", command: ["npm", "test"] },
 * ]);
 * console.log((await run.result).success);
 * ```
 */
export function fanOut(tasks: readonly TaskDefinition[], options: FanOutOptions = {}): WorkflowRun {
  const onFailure = options.failFast === true ? "abort" : "continue";
  const placed = tasks.map((definition) => ({ definition }));
  const { definition, functions } = buildWorkflow(
    { name: "fan-out", label: "Worker", onFailure },
    placed,
    options,
  );
  return beginRun(definition, options, { functions });
}
