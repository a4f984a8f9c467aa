import type { ChildResult } from "../../../contracts/ports/context.ts";
import type { StepOutcome, StepRun } from "../../../contracts/ports/step-type.ts";
import { type ErrorReport, toErrorReport } from "../../../foundation/errors.ts";
import { isJsonObject, type Json } from "../../../foundation/json.ts";
import { workflowFailed, workflowStopped } from "./errors.ts";

const PREFIX = "workflow:";

/** The workflow that an agent's name stands for (STP-11); undefined for agents. */
export function workflowName(agent: string): string | undefined {
  return agent.startsWith(PREFIX) ? agent.slice(PREFIX.length) : undefined;
}

/**
 * Runs a workflow of the definition as a child run (ENG-12); what it came to is the data. The step has failed with
 * STEP_WORKFLOW_FAILED or STEP_WORKFLOW_STOPPED when it did not complete.
 */
export async function runChildWorkflow(
  run: StepRun,
  workflow: string,
  input: Json = childInput(run),
): Promise<StepOutcome> {
  const { context, address, step } = run;
  const child = await context.child({ workflow, input, step: address });
  const { outcome, result } = child;
  const members = isJsonObject(result) ? result : { result };
  const data = { ...members, run: child.run, outcome };
  const error = errorOf(child, { step: step.id, workflow });
  if (error !== undefined) return { data, error, outcome };
  return { data, output: outputOf(result), outcome };
}

/** The data that the step's `input` names, else what the run itself was given. */
function childInput({ step, scope }: StepRun): Json {
  const own = step.input === undefined ? undefined : scope.context.dataOf(step.input);
  return own ?? scope.context.input;
}

function errorOf(
  { run, outcome, reason, limit }: ChildResult,
  names: { readonly step: string; readonly workflow: string },
): ErrorReport | undefined {
  const details = { ...names, run, outcome, reason };
  if (limit !== undefined) return limit;
  switch (outcome) {
    case "completed":
      return undefined;
    case "rejected":
    case "cancelled":
      return toErrorReport(workflowStopped(details));
    case "failed":
    case "timed-out":
    case "limit-reached":
      return toErrorReport(workflowFailed(details));
  }
}

function outputOf(result: Json): string {
  const output = isJsonObject(result) ? (result["output"] ?? null) : result;
  return typeof output === "string" ? output : JSON.stringify(output);
}
