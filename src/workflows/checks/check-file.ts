import { checkAgents } from "./check-agents.ts";
import { checkBarriers } from "./check-barriers.ts";
import { checkBudgets } from "./check-budgets.ts";
import { checkConstraints } from "./check-constraints.ts";
import type { CheckContext } from "./check-context.ts";
import { checkDurations } from "./check-durations.ts";
import { checkIds } from "./check-ids.ts";
import { checkOrder } from "./check-order.ts";
import { checkParams } from "./check-params.ts";
import { checkReferences } from "./check-references.ts";
import { checkShadow } from "./check-shadow.ts";
import { checkStepValues } from "./check-step-values.ts";
import { checkSupported } from "./check-supported.ts";
import { checkVariables } from "./check-variables.ts";

/** Checks all that the schema of a pattern file cannot: what its parts say about each other. */
export function checkFile(context: CheckContext): void {
  const checks = [
    checkSupported,
    checkIds,
    checkReferences,
    checkOrder,
    checkBarriers,
    checkStepValues,
    checkDurations,
    checkParams,
    checkAgents,
    checkConstraints,
    checkShadow,
    checkBudgets,
    checkVariables,
  ];
  for (const check of checks) check(context);
}
