import { z } from "zod";
import type { AgentHandle, AgentStatus } from "../contracts/agent.ts";
import { errorReport } from "../contracts/error-report.ts";
import type { PostReceipt } from "../contracts/message.ts";
import type {
  ApprovalDecision,
  ChildResult,
  PersonAnswer,
  TurnResult,
} from "../contracts/ports/context.ts";
import { OUTCOMES } from "../contracts/run.ts";
import type { Signal } from "../contracts/signal.ts";
import { type ErrorReport, TroupeError, toErrorReport } from "../foundation/errors.ts";
import { notJson, toJson } from "../foundation/json.ts";

// Outcomes are data that a journal may have kept for years, so they are parsed where they reach programs.

const signal: z.ZodType<Signal> = z.object({
  kind: z.string(),
  value: z.string(),
  reason: z.string().exactOptional(),
  confidence: z.number().exactOptional(),
  by: z.enum(["tool", "text"]),
});

const usage = z.object({
  inputTokens: z.number().exactOptional(),
  outputTokens: z.number().exactOptional(),
  cachedTokens: z.number().exactOptional(),
  costUsd: z.number().exactOptional(),
  estimatedUsd: z.number().exactOptional(),
});

/** What `spawn` resolves with. */
export const spawnOutcome: z.ZodType<AgentHandle> = z.object({
  id: z.string(),
  name: z.string(),
  backend: z.string(),
  conventions: z.enum(["text", "tools", "none"]),
  demandsSignal: z.boolean(),
  toolPrefix: z.string().exactOptional(),
  isApart: z.literal(true).exactOptional(),
  directory: z.string().exactOptional(),
});

/** What `turn` resolves with. */
export const turnOutcome: z.ZodType<TurnResult> = z.object({
  agent: z.string(),
  turn: z.number(),
  text: z.string(),
  textTruncated: z.boolean(),
  stopReason: z.enum(["end_turn", "max_turns", "max_tokens", "refusal", "cancelled"]),
  signals: z.array(signal),
  usage,
});

/** What `child` resolves with. */
export const childOutcome: z.ZodType<ChildResult> = z.object({
  run: z.string(),
  outcome: z.enum(OUTCOMES),
  reason: z.string(),
  result: z.json(),
  limit: errorReport.exactOptional(),
});

/** What `interrupt` and `release` resolve with. */
export const statusOutcome: z.ZodType<AgentStatus> = z.enum([
  "starting",
  "idle",
  "working",
  "waiting-permission",
  "stuck",
  "exited",
]);

/** What `post` resolves with. */
export const postOutcome: z.ZodType<PostReceipt> = z.object({
  id: z.string(),
  seq: z.number(),
  recipients: z.array(z.string()),
  unknownMentions: z.array(z.string()),
  refusedMentions: z.array(z.string()).exactOptional(),
});

/** What `next` resolves with: the seq of a fact, or null at the timeout. */
export const nextOutcome = z.object({ seq: z.number() }).nullable();

/** What `approval` resolves with. */
export const approvalOutcome: z.ZodType<ApprovalDecision> = z.object({
  approved: z.boolean(),
  by: z.string(),
  comment: z.string().exactOptional(),
  edited: z.json().exactOptional(),
});

/** What `question` resolves with. */
export const questionOutcome: z.ZodType<PersonAnswer> = z.object({
  answer: z.string(),
  by: z.string(),
});

/** The report of a thrown value in a form that a journal can hold; details that have none are left out. */
export function toStoredError(error: unknown): ErrorReport {
  const { details, ...report } = toErrorReport(error);
  const stored = { ...report, message: report.message.toWellFormed() };
  if (details === undefined) return stored;
  try {
    return { ...stored, details: toJson(details, "the details of an error") };
  } catch (problem) {
    if (problem instanceof TroupeError && problem.code === notJson.code) return stored;
    throw problem;
  }
}
