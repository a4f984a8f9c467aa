import type { BudgetOwner } from "../../../contracts/budget.ts";
import { amountText, useText } from "../../../contracts/budget-words.ts";
import type { EventOf } from "../../../contracts/events/event.ts";
import type { LineContext, LineTable } from "../parts/line-table.ts";

/** Limits that come near and limits that are reached; what is set aside and given back is not told. */
export const budgetLines: LineTable = {
  "budget-warned": (event, context) => [
    { who: whoOf(event, context), what: `${context.glyphs.attention} ${warningOf(event)}` },
  ],
  "budget-exceeded": (event, context) => {
    const { glyphs } = context;
    const limit = `limit of ${amountText(event.meter, event.limit)} reached`;
    const effect = event.of === "run" ? "nothing new starts" : "no turn is left for it";
    return [{ who: whoOf(event, context), what: `${glyphs.attention} ${limit}; ${effect}` }];
  },
};

function whoOf(
  { of, agent = "run", step = "run" }: { of: BudgetOwner["of"]; agent?: string; step?: string },
  { excerpt }: LineContext,
): string {
  switch (of) {
    case "run":
      return "run";
    case "agent":
      return excerpt(agent);
    case "step":
      return excerpt(step);
  }
}

function warningOf(event: EventOf<"budget-warned">): string {
  const { cause, meter, limit, spent, agent } = event;
  if (cause === "soft") return `budget: ${useText(meter, { spent, limit })} used`;
  const what = meter === "cost" ? "cost" : "use of tokens";
  return `the ${what} of ${agent ?? "an agent"} is unknown: its turns count with what they reserve`;
}
