import { z } from "zod";
import type { RunCommand } from "../contracts/events/run-events.ts";

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
    interrupt: z.boolean().exactOptional(),
    key: z.string(),
  }),
  z.strictObject({ kind: z.literal("cancel"), reason: z.string() }),
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
