import type { StepRecord } from "../../../src/contracts/step-context.ts";
import type { ErrorReport } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createFlowContext, type FlowContext } from "../../../src/programs/flow/flow-context.ts";

/** A context before the first step. */
export function startOf(
  initialContext: { readonly [name: string]: Json } = {},
  input: Json = "task",
): FlowContext {
  const startTime = "2026-01-01T00:00:00.000Z";
  return createFlowContext({ workflowId: "test", startTime, input, initialContext });
}

/** What a step that succeeded came to. */
export function done(stepId: string, data: Json, more: Partial<StepRecord> = {}): StepRecord {
  return {
    stepId,
    success: true,
    data,
    startTime: "2026-01-01T00:00:01.000Z",
    endTime: "2026-01-01T00:00:02.000Z",
    durationMs: 1000,
    ...more,
  };
}

/** What a step that failed came to. */
export function failed(
  stepId: string,
  more: Partial<Omit<StepRecord, "success">> & { readonly code?: string } = {},
): StepRecord {
  const { code = "TEST_FAILED", data = null, ...others } = more;
  const error: ErrorReport = { code, message: `${stepId} failed`, details: {} };
  return { ...done(stepId, data), success: false, error, ...others };
}
