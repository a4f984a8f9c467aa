import type { Costs } from "../../app/history/cost/read-costs.ts";
import { type Spending, spendingBy, sumOf } from "../../app/history/cost/spending.ts";
import type { CostDimension } from "../../contracts/cost-dimension.ts";

/** What `cost --json` prints. */
export function toCostDocument(
  { turns, runs }: Pick<Costs, "turns" | "runs">,
  { by, sinceMs }: { readonly by: CostDimension; readonly sinceMs: number | undefined },
): object {
  return {
    v: 1,
    by,
    since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
    rows: spendingBy(turns, by).map(({ name, ...spending }) => ({ name, ...toSums(spending) })),
    total: toSums(sumOf(turns)),
    runs: runs.map(({ run, workflow, instance, project, reservations, budget }) => ({
      ...{ id: run, workflow, instance },
      ...(project === undefined ? {} : { project }),
      reserved: {
        turns: reservations.length,
        costUsd: reservations.reduce((sum, { cost = 0 }) => sum + cost, 0),
        tokens: reservations.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
      },
      budget: Object.fromEntries(
        budget.map(({ meter, limit, spent, reserved }) => [meter, { limit, spent, reserved }]),
      ),
    })),
  };
}

/** Null is unknown, not zero. */
function toSums({ turns, usage, unpricedTurns }: Spending): object {
  const { inputTokens, outputTokens, cachedTokens, costUsd, estimatedUsd = 0 } = usage;
  return {
    turns,
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    cachedTokens: cachedTokens ?? null,
    costUsd: costUsd ?? null,
    estimatedUsd,
    unpricedTurns,
  };
}
