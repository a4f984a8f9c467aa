import type { RetryReason, TurnUpdate } from "../../../contracts/backend.ts";
import type { Usage } from "../../../contracts/usage.ts";
import { readDelayMs } from "../../../foundation/outside-number.ts";
import type { TerminalUpdate } from "../parts/turn-gate.ts";
import type { TurnReader } from "../parts/turn-reader.ts";

/** What stands in the output about the end of a turn. Aider has no event for it. */
export type AiderOutcome =
  /** The model has answered, after whatever went wrong before. */
  | { readonly status: "answered" }
  | { readonly status: "failed"; readonly problem: string; readonly httpStatus?: number }
  | { readonly status: "silent" };

/** What it prints has no end of the turn in it. */
type AiderUpdate = Exclude<TurnUpdate, TerminalUpdate>;

/** Reads the plain text that aider prints. */
export interface AiderReader extends TurnReader {
  readonly outcome: AiderOutcome;
  take(line: string): readonly AiderUpdate[];
}

const USAGE_PATTERN =
  /^Tokens: ([\d.]+k?) sent\b.*?(?:, ([\d.]+k?) cache hit)?, ([\d.]+k?) received\./;
const COST_PATTERN = /\bCost: \$([\d.]+) message, \$[\d.]+ session\.$/;
const EDIT_PATTERN = /^Applied edit to (.+)$/;
const RETRY_PATTERN = /^Retrying in ([\d.]+) seconds\.\.\.$/;
const PROBLEM_PATTERN = /^(?:litellm\.)?(\w*Error|Timeout): (.+)$/;
// What it tells of itself before it asks the model.
const BANNER_PATTERN =
  /^(?:Aider v|(?:Main |Weak |Editor )?[Mm]odel: |Git repo: |Repo-map: |Restored previous conversation|Added .* to the chat\b|Analytics have been|Note: in-chat filenames|Cur working dir: )/;

/** The statuses that stand behind the names of LiteLLM's errors. */
const STATUSES: { readonly [error: string]: number } = {
  AuthenticationError: 401,
  PermissionDeniedError: 403,
  BadRequestError: 400,
  NotFoundError: 404,
  InvalidRequestError: 400,
  UnprocessableEntityError: 422,
  ContentPolicyViolationError: 400,
  ContextWindowExceededError: 400,
  BudgetExceededError: 400,
  RateLimitError: 429,
  RouterRateLimitError: 429,
  InternalServerError: 500,
  ServiceUnavailableError: 503,
};

/** A reader for one turn. A reply that imitates these lines deceives its own turn and no other. */
export function createAiderReader(): AiderReader {
  let outcome: AiderOutcome = { status: "silent" };
  return {
    get outcome() {
      return outcome;
    },
    take: (line) => {
      if (USAGE_PATTERN.test(line)) outcome = { status: "answered" };
      else outcome = problemIn(line) ?? outcome;
      return updatesIn(line, outcome);
    },
  };
}

function updatesIn(line: string, outcome: AiderOutcome): readonly AiderUpdate[] {
  const usage = usageIn(line);
  if (usage !== undefined) return [{ type: "usage", usage }];
  const path = EDIT_PATTERN.exec(line)?.[1];
  if (path !== undefined) return [{ type: "file-change", path, kind: "edit" }];
  const seconds = RETRY_PATTERN.exec(line)?.[1];
  if (seconds !== undefined)
    return [
      {
        type: "retrying",
        reason: reasonOf(outcome),
        delayMs: readDelayMs(Number(seconds) * 1000) ?? 0,
      },
    ];
  if (BANNER_PATTERN.test(line) || PROBLEM_PATTERN.test(line)) return [{ type: "activity" }];
  return [{ type: "text-delta", text: `${line}\n` }];
}

function usageIn(line: string): Usage | undefined {
  const [, sent, cached, received] = USAGE_PATTERN.exec(line) ?? [];
  if (sent === undefined || received === undefined) return undefined;
  const cost = COST_PATTERN.exec(line)?.[1];
  return {
    inputTokens: toCount(sent),
    outputTokens: toCount(received),
    ...(cached === undefined ? {} : { cachedTokens: toCount(cached) }),
    ...(cost === undefined ? {} : { costUsd: Number(cost) }),
  };
}

/** `850`, `1.2k` and `14k`: it rounds what it prints. */
function toCount(text: string): number {
  return Math.round(text.endsWith("k") ? Number(text.slice(0, -1)) * 1000 : Number(text));
}

function problemIn(line: string): AiderOutcome | undefined {
  const [, name, problem] = PROBLEM_PATTERN.exec(line) ?? [];
  if (name === undefined || problem === undefined) return undefined;
  const httpStatus = Object.hasOwn(STATUSES, name) ? STATUSES[name] : undefined;
  return { status: "failed", problem, ...(httpStatus === undefined ? {} : { httpStatus }) };
}

function reasonOf(outcome: AiderOutcome): RetryReason {
  const status = outcome.status === "failed" ? outcome.httpStatus : undefined;
  if (status === 429) return "rate-limit";
  return status === undefined ? "connection" : "server-error";
}
