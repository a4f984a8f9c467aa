import type { PlannedLimit } from "../../app/plan/run-plan.ts";
import type { Budget } from "../../contracts/budget.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { formatSize } from "../../foundation/size.ts";

/** A command as it would be typed; a list shows where its elements end. */
export function shownCommand(command: Json): string {
  return typeof command === "string" ? command : JSON.stringify(command);
}

/** The limits of a budget: `$5.00, 200 turns`. */
export function budgetText(budget: Budget): string {
  const { cost, tokens, turns, messages, agents, handoffs, wallClockMs, failures } = budget;
  const parts = [
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
    ...(tokens === undefined ? [] : [count(tokens, "token")]),
    ...(turns === undefined ? [] : [count(turns, "turn")]),
    ...(messages === undefined ? [] : [count(messages, "message")]),
    ...(agents === undefined ? [] : [count(agents, "agent")]),
    ...(handoffs === undefined ? [] : [count(handoffs, "hand-over")]),
    ...(wallClockMs === undefined ? [] : [formatDuration(wallClockMs)]),
    ...(failures === undefined ? [] : [`${count(failures, "failure")} in a row`]),
  ];
  return parts.join(", ");
}

const RESOURCES = {
  processes: "processes",
  memoryBytes: "memory",
  openFiles: "open files",
  fileSizeBytes: "size of a file",
  logBytes: "log",
} as const satisfies { readonly [name in PlannedLimit["resource"]]: string };

/** A limit of an agent: `memory 4 GiB`, `processes 200 (asks for 500; your configuration allows no more)`. */
export function limitText({ resource, asked, given }: PlannedLimit): string {
  const show = (amount: number) =>
    resource.endsWith("Bytes") ? formatSize(amount) : String(amount);
  const more =
    asked === given ? "" : ` (asks for ${show(asked)}; your configuration allows no more)`;
  return `${RESOURCES[resource]} ${show(given)}${more}`;
}
