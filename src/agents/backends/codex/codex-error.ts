import { z } from "zod";
import type { RetryReason } from "../../../contracts/backend.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { isRecord } from "../../../foundation/json.ts";
import { toProviderError } from "../parts/provider-error.ts";
import type { TerminalUpdate } from "../parts/turn-gate.ts";

/** What Codex says of a request to its model that failed. */
export const turnErrorSchema = z.object({
  message: z.string(),
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: z.string().nullish(),
});

export type CodexTurnError = z.infer<typeof turnErrorSchema>;

// What its names mean where no status comes along.
const STATUS: { readonly [name: string]: number } = {
  badRequest: 400,
  contextWindowExceeded: 400,
  sessionBudgetExceeded: 400,
  unauthorized: 401,
  modelNotFound: 404,
  rateLimitExceeded: 429,
  usageLimitExceeded: 429,
  internalServerError: 500,
  flexUnavailable: 529,
  policyCapacityUnavailable: 529,
  serverOverloaded: 529,
};
const REFUSALS: ReadonlySet<string> = new Set(["cyberPolicy", "misalignmentPolicyViolation"]);

const statusSchema = z.object({ httpStatusCode: z.number().nullish() });
const bodySchema = z.object({ error: z.object({ message: z.string() }) });

/** How a turn ends whose model could not be asked, or declined. */
export function failedTurn(agent: string, error: CodexTurnError): TerminalUpdate {
  const { message, codexErrorInfo: info } = error;
  if (typeof info === "string" && REFUSALS.has(info))
    return { type: "stop", reason: "refusal", text: message };
  const body = bodyMessage(message);
  // It passes on the body of a refused request as its message, without the status.
  const status = statusOf(info) ?? (body === undefined ? undefined : 400);
  const failure = toProviderError({
    agent,
    problem: body ?? message,
    ...(status === undefined ? {} : { status }),
  });
  return { type: "error", error: toErrorReport(failure) };
}

/** Why it asks its model again. */
export function retryReason({ codexErrorInfo: info }: CodexTurnError): RetryReason {
  const status = statusOf(info);
  if (status === 429) return "rate-limit";
  if (status === 529) return "overloaded";
  return status !== undefined && status >= 500 ? "server-error" : "connection";
}

function statusOf(info: unknown): number | undefined {
  if (typeof info === "string") return Object.hasOwn(STATUS, info) ? STATUS[info] : undefined;
  if (!isRecord(info)) return undefined;
  for (const detail of Object.values(info)) {
    const { httpStatusCode } = statusSchema.safeParse(detail).data ?? {};
    if (typeof httpStatusCode === "number") return httpStatusCode;
  }
  return undefined;
}

function bodyMessage(message: string): string | undefined {
  try {
    return bodySchema.safeParse(JSON.parse(message)).data?.error.message;
  } catch {
    return undefined;
  }
}
