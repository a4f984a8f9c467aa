import { z } from "zod";
import { parseLine } from "./claude-protocol.ts";

// What is not needed to tell the turn may be missing or of another shape in other versions: a result that is
// not read would leave the turn without an end.
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
const count = optional(z.number().nonnegative());

const blockSchema = z.looseObject({
  type: z.string(),
  text: optional(z.string()),
  id: optional(z.string()),
  name: optional(z.string()),
  input: z.unknown().optional(),
  tool_use_id: optional(z.string()),
  is_error: optional(z.boolean()),
  content: z.unknown().optional(),
});

const messageSchema = z.looseObject({
  id: optional(z.string()),
  model: optional(z.string()),
  content: z.array(blockSchema).catch([]),
});

const parent = z.string().nullish().catch(undefined);

const modelUseSchema = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  costUSD: count,
  costBasis: optional(z.string()),
});

const lineSchema = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("stream_event"),
    parent_tool_use_id: parent,
    event: z.looseObject({
      type: z.string(),
      message: optional(z.looseObject({ id: optional(z.string()) })),
      content_block: optional(z.looseObject({ type: z.string() })),
      delta: optional(
        z.looseObject({
          type: optional(z.string()),
          text: optional(z.string()),
          thinking: optional(z.string()),
        }),
      ),
    }),
  }),
  z.looseObject({
    type: z.literal("assistant"),
    parent_tool_use_id: parent,
    message: messageSchema,
    /** What kind of failure the message tells of. */
    error: optional(z.string()),
  }),
  z.looseObject({
    type: z.literal("user"),
    message: messageSchema,
    tool_use_result: optional(z.looseObject({ type: optional(z.string()) })),
  }),
  z.looseObject({
    type: z.literal("system"),
    subtype: optional(z.string()),
    error_status: optional(z.number().nullable()),
    retry_delay_ms: count,
  }),
  z.looseObject({ type: z.literal("tool_progress") }),
  z.looseObject({
    type: z.literal("rate_limit_event"),
    rate_limit_info: optional(z.looseObject({ status: optional(z.string()), resetsAt: count })),
  }),
  z.looseObject({
    type: z.literal("result"),
    subtype: optional(z.string()),
    is_error: optional(z.boolean()),
    terminal_reason: optional(z.string()),
    stop_reason: optional(z.string().nullable()),
    api_error_status: optional(z.number().nullable()),
    result: optional(z.string()),
    errors: optional(z.array(z.string())),
    total_cost_usd: count,
    usage: optional(
      z.looseObject({
        input_tokens: count,
        output_tokens: count,
        cache_read_input_tokens: count,
        cache_creation_input_tokens: count,
      }),
    ),
    model_usage_since_last_result: optional(z.record(z.string(), modelUseSchema)),
    user_message_uuids: optional(z.array(z.string())),
  }),
]);

/** A line of the program, read. */
export type ClaudeLine = z.infer<typeof lineSchema>;

/** The line of one type. */
export type ClaudeLineOf<Type extends ClaudeLine["type"]> = Extract<
  ClaudeLine,
  { readonly type: Type }
>;

/** A part of a message. */
export type ClaudeBlock = z.infer<typeof blockSchema>;

/** Reads a line; undefined when it tells nothing of a turn. */
export function readClaudeLine(line: string): ClaudeLine | undefined {
  const { success, data } = lineSchema.safeParse(parseLine(line));
  return success ? data : undefined;
}
