import { z } from "zod";
import type { Json } from "../../../../src/foundation/json.ts";
import { type Entry, type ModelAnswer, type ModelRequest, TOKENS } from "../model-request.ts";
import { inPieces, type ModelProtocol, newId, type StreamEvent, textSchema } from "../protocol.ts";

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  name: z.string().optional(),
  content: textSchema.optional().catch(undefined),
});

const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: textSchema.optional(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([
        z.string().transform((text) => [{ type: "text", text }]),
        z.array(blockSchema),
      ]),
    }),
  ),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});

/** Anthropic's Messages: `POST /v1/messages`. */
export const anthropicMessages: ModelProtocol = {
  name: "anthropic-messages",
  path: /^\/v1\/messages$/,
  fixedRoutes: [
    {
      method: "POST",
      path: /^\/v1\/messages\/count_tokens$/,
      body: { input_tokens: TOKENS.input },
    },
  ],
  read,
  toBody: (answer, { model }) => ({
    ...messageHead(model),
    content: blocksOf(answer),
    stop_reason: stopReasonOf(answer),
    usage: { ...inputUsage, output_tokens: TOKENS.output },
  }),
  toStream,
  toErrorBody: (status, message) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message },
  }),
};

const errorTypes: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const inputUsage = {
  input_tokens: TOKENS.input - TOKENS.cachedInput,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: TOKENS.cachedInput,
};

type Block = z.infer<typeof blockSchema>;

function read(body: unknown): ModelRequest {
  const { model, stream, system, messages, tools } = bodySchema.parse(body);
  const instructions: readonly Entry[] =
    system === undefined ? [] : [{ kind: "prompt", text: system }];
  const entries = messages.flatMap(({ role, content }) =>
    content.flatMap((block) => toEntry(role, block)),
  );
  return { model, isStream: stream, entries: [...instructions, ...entries], tools };
}

function toEntry(role: string, { type, text = "", name = "", content = "" }: Block): Entry[] {
  if (type === "tool_result") return [{ kind: "result", text: content }];
  if (type === "tool_use") return [{ kind: "call", text: name }];
  if (type !== "text") return [];
  return [{ kind: role === "assistant" ? "reply" : "prompt", text }];
}

function messageHead(model: string) {
  return { id: newId("msg_"), type: "message", role: "assistant", model, stop_sequence: null };
}

function stopReasonOf({ calls, isRefusal }: ModelAnswer): string {
  if (isRefusal === true) return "refusal";
  return calls.length === 0 ? "end_turn" : "tool_use";
}

function blocksOf({ text, calls }: ModelAnswer): Json[] {
  const uses = calls.map(({ tool, args }) => ({
    type: "tool_use",
    id: newId("toolu_"),
    name: tool.name,
    input: args,
  }));
  return text === undefined ? uses : [{ type: "text", text }, ...uses];
}

function toStream(answer: ModelAnswer, { model }: ModelRequest): readonly StreamEvent[] {
  const { text, calls } = answer;
  const blocks = [
    ...(text === undefined ? [] : [textBlock(text)]),
    ...calls.map(({ tool, args }) => callBlock(tool.name, args)),
  ];
  const usage = { ...inputUsage, output_tokens: 1 };
  return [
    event("message_start", {
      message: { ...messageHead(model), content: [], stop_reason: null, usage },
    }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: stopReasonOf(answer), stop_sequence: null },
      usage: { output_tokens: TOKENS.output },
    }),
    event("message_stop", {}),
  ];
}

interface StreamedBlock {
  readonly start: Json;
  readonly deltas: readonly Json[];
}

function textBlock(text: string): StreamedBlock {
  return {
    start: { type: "text", text: "" },
    deltas: inPieces(text).map((piece) => ({ type: "text_delta", text: piece })),
  };
}

function callBlock(name: string, args: Json): StreamedBlock {
  return {
    start: { type: "tool_use", id: newId("toolu_"), name, input: {} },
    deltas: inPieces(JSON.stringify(args)).map((piece) => ({
      type: "input_json_delta",
      partial_json: piece,
    })),
  };
}

function event(type: string, rest: { readonly [name: string]: Json }): StreamEvent {
  return { event: type, data: { type, ...rest } };
}
