import { formatDuration } from "../foundation/duration.ts";
import { formatUsd } from "../foundation/money.ts";
import type { BudgetMeter, BudgetOwner } from "./budget.ts";

const NOUNS: { readonly [meter in Exclude<BudgetMeter, "cost" | "wallClock">]: string } = {
  tokens: "token",
  turns: "turn",
  messages: "message",
  agents: "agent",
  handoffs: "hand-over",
};

/** An amount of what a budget counts, for people: `$2.00`, `1,200 tokens`, `1 turn`, `2h00m`. */
export function amountText(meter: BudgetMeter, amount: number): string {
  if (meter === "cost") return formatUsd(amount);
  if (meter === "wallClock") return formatDuration(amount);
  return `${numberText(amount)} ${NOUNS[meter]}${Math.round(amount) === 1 ? "" : "s"}`;
}

/** How much of a limit is used: `$0.42 of $2.00`, `3 of 8 turns`. */
export function useText(
  meter: BudgetMeter,
  { spent, limit }: { readonly spent: number; readonly limit: number },
): string {
  const isCount = meter !== "cost" && meter !== "wallClock";
  const used = isCount ? numberText(spent) : amountText(meter, spent);
  return `${used} of ${amountText(meter, limit)}`;
}

/** Whose limit, in words: `the run`, `agent "coder"`, `step "code"`. */
export function ownerText(owner: BudgetOwner): string {
  switch (owner.of) {
    case "run":
      return "the run";
    case "agent":
      return `agent "${owner.agent}"`;
    case "step":
      return `step "${owner.step}"`;
  }
}

function numberText(amount: number): string {
  return Math.round(amount).toLocaleString("en-US");
}
