import type { StopReason } from "../../../contracts/backend.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { present } from "../../../foundation/present.ts";
import { toProviderError } from "../parts/provider-error.ts";
import type { TerminalUpdate } from "../parts/turn-gate.ts";
import type { ClaudeLineOf } from "./claude-lines.ts";

type Result = ClaudeLineOf<"result">;

/** What the turn has told before its result. */
export interface TurnHistory {
  readonly agent: string;
  /** The kind of failure that the last message told of. */
  readonly failure: string | undefined;
  /** How long the provider wants to be left alone, in ms. */
  readonly retryAfterMs: number | undefined;
}

const MAX_PROBLEM_CHARS = 2000;

// Some failures are told in words only, without the status that they stand for.
const STATUS_OF_FAILURE: { readonly [failure: string]: number } = {
  authentication_failed: 401,
  billing_error: 402,
  invalid_request: 400,
  rate_limit: 429,
  overloaded: 529,
};

const LIMITS = new Set(["max_turns", "budget_exhausted"]);
const LIMIT_SUBTYPES = new Set(["error_max_turns", "error_max_budget_usd"]);

/** How a turn ended that has this result. Errors of the provider come as `success` too: only `is_error` tells. */
export function toEnding(result: Result, history: TurnHistory): TerminalUpdate {
  const { result: text, terminal_reason: reason = "completed", subtype = "" } = result;
  const stop = stopReason(result);
  if (stop !== undefined)
    return { type: "stop", reason: stop, ...(text === undefined ? {} : { text }) };
  const isGood = result.is_error !== true && subtype === "success" && reason === "completed";
  if (isGood) return { type: "stop", reason: "end_turn", text: text ?? "" };
  const { agent, failure = "", retryAfterMs } = history;
  const status = result.api_error_status ?? STATUS_OF_FAILURE[failure];
  const error = toProviderError({
    agent,
    problem: problemOf(result),
    ...present({ status, retryAfterMs }),
  });
  return { type: "error", error: toErrorReport(error) };
}

/** Why the model or the program stopped before the work was done; undefined when it did not. */
function stopReason(result: Result): StopReason | undefined {
  const { terminal_reason: reason = "", subtype = "", stop_reason: stop } = result;
  if (LIMITS.has(reason) || LIMIT_SUBTYPES.has(subtype)) return "max_turns";
  if (stop === "refusal") return "refusal";
  return stop === "max_tokens" ? "max_tokens" : undefined;
}

function problemOf({ result, errors = [], terminal_reason: reason, subtype }: Result): string {
  const told = [result ?? "", errors.join("; "), reason ?? "", subtype ?? ""];
  const problem = told.find((text) => text !== "") ?? "it did not say why";
  return problem.slice(0, MAX_PROBLEM_CHARS).toWellFormed();
}
