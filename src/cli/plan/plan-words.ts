import type { Budget } from "../../contracts/budget.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";

/** A command as it would be typed; a list shows where its elements end. */
export function commandText(command: Json): string {
  return typeof command === "string" ? command : JSON.stringify(command);
}

/** The limits of a budget: `$5.00, 200 turns`. */
export function budgetText(budget: Budget): string {
  const { cost, tokens, turns, messages, agents, wallClockMs } = budget;
  const parts = [
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
    ...(tokens === undefined ? [] : [count(tokens, "token")]),
    ...(turns === undefined ? [] : [count(turns, "turn")]),
    ...(messages === undefined ? [] : [count(messages, "message")]),
    ...(agents === undefined ? [] : [count(agents, "agent")]),
    ...(wallClockMs === undefined ? [] : [formatDuration(wallClockMs)]),
  ];
  return parts.join(", ");
}
