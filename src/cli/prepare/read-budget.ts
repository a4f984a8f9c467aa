import type { Budget } from "../../contracts/budget.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { usageInvalid } from "../command/errors.ts";
import type { OptionValues } from "../command/option.ts";
import type { limitOptions } from "../commands/parts/limit-options.ts";

type LimitInput = OptionValues<typeof limitOptions>;

const AMOUNT_PATTERN = /^(\d{1,9}(\.\d{1,6})?|\.\d{1,6})$/;
const COUNT_PATTERN = /^[1-9]\d{0,14}$/;

/** The limits that were given on the command line. Raises USAGE_INVALID and DURATION_INVALID. */
export function readBudget(input: LimitInput): Budget {
  const {
    maxCost,
    maxTokens,
    maxTurns,
    maxMessages,
    maxAgents,
    maxHandoffs,
    maxFailures,
    maxTime,
  } = input;
  return {
    ...(maxCost === undefined ? {} : { cost: readCost(maxCost) }),
    ...(maxTokens === undefined ? {} : { tokens: readCount("--max-tokens", maxTokens) }),
    ...(maxTurns === undefined ? {} : { turns: readCount("--max-turns", maxTurns) }),
    ...(maxMessages === undefined ? {} : { messages: readCount("--max-messages", maxMessages) }),
    ...(maxAgents === undefined ? {} : { agents: readCount("--max-agents", maxAgents) }),
    ...(maxHandoffs === undefined ? {} : { handoffs: readCount("--max-handoffs", maxHandoffs) }),
    ...(maxFailures === undefined ? {} : { failures: readCount("--max-failures", maxFailures) }),
    ...(maxTime === undefined ? {} : { wallClockMs: readTime(maxTime) }),
  };
}

function readCost(given: string): number {
  // People write the sign that they read.
  const amount = given.replace(/^\$/, "");
  const cost = AMOUNT_PATTERN.test(amount) ? Number(amount) : 0;
  if (cost > 0) return cost;
  const problem = `--max-cost must be an amount above 0, got "${given}"`;
  throw usageInvalid({ problem, hint: "write US dollars: --max-cost 2.50" });
}

function readCount(flag: string, given: string): number {
  if (COUNT_PATTERN.test(given)) return Number(given);
  throw usageInvalid({ problem: `${flag} must be a whole number from 1 on, got "${given}"` });
}

function readTime(given: string): number {
  const timeMs = parseDuration(given, "--max-time");
  if (timeMs > 0) return timeMs;
  throw usageInvalid({ problem: `--max-time must be longer than nothing, got "${given}"` });
}
