import { z } from "zod";
import type { RunCommand } from "../contracts/events/run-events.ts";
import { trajectoryRecordSchema } from "../contracts/trajectory.ts";
import { ID_PATTERN } from "../foundation/ids.ts";

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
    always: z.literal(true).exactOptional(),
  }),
  z.strictObject({ kind: z.literal("answer-question"), id: z.string(), answer: z.string() }),
  z.strictObject({
    kind: z.literal("send"),
    text: z.string(),
    to: z.array(z.string()).exactOptional(),
    channel: z.string().exactOptional(),
    interrupt: z.boolean().exactOptional(),
    key: z.string(),
    terms: z
      .strictObject({
        model: z.string().min(1).exactOptional(),
        tools: z.array(z.string()).exactOptional(),
      })
      .exactOptional(),
  }),
  z.strictObject({ kind: z.literal("record"), record: trajectoryRecordSchema }),
  z.strictObject({ kind: z.literal("cancel"), reason: z.string() }),
  z.strictObject({ kind: z.literal("interrupt"), agent: z.string() }),
  z.strictObject({ kind: z.literal("restart"), agent: z.string() }),
  z.strictObject({
    kind: z.literal("set-model"),
    agent: z.string(),
    model: z.string().min(1).exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("set-mode"),
    agent: z.string(),
    mode: z.literal("plan").exactOptional(),
  }),
  z.strictObject({ kind: z.literal("compact"), agent: z.string() }),
  z.strictObject({ kind: z.literal("pause") }),
  z.strictObject({ kind: z.literal("unpause") }),
  z.strictObject({
    kind: z.literal("release"),
    agent: z.string(),
    force: z.boolean().exactOptional(),
  }),
  z.strictObject({ kind: z.literal("stop"), force: z.boolean().exactOptional() }),
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

const MAX_CALL_CHARS = 80;

/** One word or a few, as the command line and the library name what is called: `troupe run --trust`. */
const callName = z
  .string()
  .max(MAX_CALL_CHARS)
  .regex(/^[\w@().:=-]+(?: [\w@().:=-]+)*$/);

/**
 * A program of a run tells that its call was refused, because it is a person's. It is written down and does nothing
 * else: whoever can speak here could say anything.
 */
export const refusedCall = z.strictObject({
  v: z.literal(CONTROL_VERSION),
  id: z.number(),
  run: z.string(),
  refused: z.strictObject({
    code: z.string().regex(/^USAGE_(?:DECISION|SPEECH|CONTROL)_BY_AGENT$/),
    command: callName,
    agent: z.string().regex(ID_PATTERN).exactOptional(),
    /** The mark of the program, where nothing but that tells which run it belongs to. */
    family: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .exactOptional(),
  }),
});

export type RefusedCall = z.infer<typeof refusedCall>;
