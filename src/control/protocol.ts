import { z } from "zod";
import type { RunCommand } from "../contracts/events/run-events.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";

/** Version of the lines that travel over a run's control socket. */
export const CONTROL_VERSION = 1 as const;
/** Longest line, in characters: a message of the largest size and its envelope. */
export const MAX_LINE_CHARS = 4_194_304;

const runCommand: z.ZodType<RunCommand> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("resolve-approval"),
    approval: z.string(),
    decision: z.enum(["approved", "rejected"]),
    comment: z.string().exactOptional(),
    edited: z.json().exactOptional(),
    hash: z.string().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("resolve-permission"),
    id: z.string(),
    decision: z.enum(["allowed", "denied"]),
    comment: z.string().exactOptional(),
  }),
  z.strictObject({ kind: z.literal("answer-question"), id: z.string(), answer: z.string() }),
  z.strictObject({
    kind: z.literal("send"),
    text: z.string(),
    to: z.array(z.string()).exactOptional(),
    channel: z.string().exactOptional(),
    key: z.string(),
  }),
  z.strictObject({ kind: z.literal("cancel"), reason: z.string() }),
  z.strictObject({ kind: z.literal("pause") }),
  z.strictObject({ kind: z.literal("unpause") }),
]);

/** What a client sends: one line. */
export const controlRequest = z.strictObject({
  v: z.literal(CONTROL_VERSION),
  id: z.number(),
  run: z.string(),
  by: z.string(),
  command: runCommand,
});

export type ControlRequest = z.infer<typeof controlRequest>;

const errorReport: z.ZodType<ErrorReport> = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().exactOptional(),
  retryable: z.boolean().exactOptional(),
  details: z.unknown().exactOptional(),
  file: z.string().exactOptional(),
  line: z.number().exactOptional(),
  column: z.number().exactOptional(),
});

/** What the owner answers, after what the command caused is durable: one line. */
export type ControlResponse =
  | { readonly v: 1; readonly id: number; readonly ok: true; readonly result: Json }
  | { readonly v: 1; readonly id: number; readonly ok: false; readonly error: ErrorReport };

export const controlResponse: z.ZodType<ControlResponse> = z.union([
  z.object({
    v: z.literal(CONTROL_VERSION),
    id: z.number(),
    ok: z.literal(true),
    result: z.json(),
  }),
  z.object({
    v: z.literal(CONTROL_VERSION),
    id: z.number(),
    ok: z.literal(false),
    error: errorReport,
  }),
]);
