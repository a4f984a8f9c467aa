import { z } from "zod";
import type { Json } from "../../../../src/foundation/json.ts";
import { type Entry, type ModelAnswer, type ModelRequest, TOKENS } from "../model-request.ts";
import { inPieces, type ModelProtocol, newId, type StreamEvent, textSchema } from "../protocol.ts";
import { toOpenAiError } from "./openai-error.ts";

const messageSchema = z.looseObject({
  role: z.string(),
  content: textSchema.nullish(),
  tool_calls: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).nullish(),
});

const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(messageSchema),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});

/** OpenAI's Chat Completions: `POST /v1/chat/completions`. */
export const openAiChat: ModelProtocol = {
  name: "openai-chat",
  path: /^\/v1\/chat\/completions$/,
  fixedRoutes: [
    {
      method: "GET",
      path: /^\/v1\/models$/,
      body: { object: "list", data: [{ id: "scripted", object: "model", owned_by: "tests" }] },
    },
  ],
  read,
  toBody,
  toStream,
  toErrorBody: toOpenAiError,
};

const usage = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
  prompt_tokens_details: { cached_tokens: TOKENS.cachedInput },
};

function read(body: unknown): ModelRequest {
  const { model, stream, messages, tools } = bodySchema.parse(body);
  return {
    model,
    isStream: stream,
    entries: messages.flatMap(toEntries),
    tools: tools.map((tool) => ({ name: tool.function.name })),
  };
}

function toEntries({ role, content, tool_calls }: z.infer<typeof messageSchema>): Entry[] {
  const text = content ?? "";
  if (role === "tool") return [{ kind: "result", text }];
  if (role !== "assistant") return [{ kind: "prompt", text }];
  const calls = (tool_calls ?? []).map((call) => ({
    kind: "call" as const,
    text: call.function.name,
  }));
  return [{ kind: "reply", text }, ...calls];
}

function toCalls({ calls }: ModelAnswer) {
  return calls.map(({ tool, args }, index) => ({
    index,
    id: newId("call_"),
    type: "function",
    function: { name: tool.name, arguments: JSON.stringify(args) },
  }));
}

function finishReasonOf({ calls, isRefusal }: ModelAnswer): string {
  if (isRefusal === true) return "content_filter";
  return calls.length === 0 ? "stop" : "tool_calls";
}

function toBody(answer: ModelAnswer, { model }: ModelRequest): Json {
  const calls = toCalls(answer);
  const message = {
    role: "assistant",
    content: answer.text ?? null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: newId("chatcmpl-"),
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: finishReasonOf(answer) }],
    usage,
  };
}

function toStream(answer: ModelAnswer, { model }: ModelRequest): readonly StreamEvent[] {
  const head = { id: newId("chatcmpl-"), object: "chat.completion.chunk", created: 0, model };
  const chunk = (delta: Json, finishReason: string | null = null): StreamEvent => ({
    data: { ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] },
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...inPieces(answer.text ?? "").map((content) => chunk({ content })),
    ...toCalls(answer).map((call) => chunk({ tool_calls: [call] })),
    chunk({}, finishReasonOf(answer)),
    { data: { ...head, choices: [], usage } },
    { data: "[DONE]" },
  ];
}
