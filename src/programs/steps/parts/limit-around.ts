import { z } from "zod";
import type { StepRecord } from "../../../contracts/step-context.ts";
import type { ErrorReport } from "../../../foundation/errors.ts";

const limitOfStep = z.object({
  run: z.string(),
  owner: z.object({ of: z.literal("step"), step: z.string() }),
});

/** Whose limit an error tells of: that of a step, here or in a run above; undefined for all other errors. */
function limitedStep({ code, details }: ErrorReport): z.infer<typeof limitOfStep> | undefined {
  return code.startsWith("LIMIT_") ? limitOfStep.safeParse(details).data : undefined;
}

/** Whether an error tells that the budget of a step leaves nothing, here or in a run above. */
export function isLimitOfStep(error: ErrorReport): boolean {
  return limitedStep(error) !== undefined;
}

/**
 * The error of a step inside of another one when the budget that left nothing is that of a step around it. Then
 * nothing else that is in there can do better.
 */
export function limitAround({ stepId, error }: StepRecord, run: string): ErrorReport | undefined {
  if (error === undefined) return undefined;
  const limited = limitedStep(error);
  const isOwn = limited?.run === run && limited.owner.step === stepId;
  return limited === undefined || isOwn ? undefined : error;
}
