import { z } from "zod";
import type { Json } from "../../../../src/foundation/json.ts";
import {
  type Entry,
  type ModelAnswer,
  type ModelCall,
  type ModelRequest,
  type OfferedTool,
  TOKENS,
} from "../model-request.ts";
import { inPieces, type ModelProtocol, newId, type StreamEvent, textSchema } from "../protocol.ts";
import { toOpenAiError } from "./openai-error.ts";

const itemSchema = z.looseObject({
  type: z.string().default("message"),
  role: z.string().optional(),
  name: z.string().optional(),
  content: textSchema.nullish().catch(undefined),
  output: textSchema.optional().catch(undefined),
});

const toolSchema = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
});

const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  instructions: z.string().nullish(),
  input: z.union([
    z.string().transform((content) => [itemSchema.parse({ role: "user", content })]),
    z.array(itemSchema),
  ]),
  tools: z.array(toolSchema).default([]),
});

/** OpenAI's Responses: `POST /v1/responses`. */
export const openAiResponses: ModelProtocol = {
  name: "openai-responses",
  path: /^\/v1\/responses$/,
  fixedRoutes: [],
  read,
  toBody: (answer, { model }) => toResponse(model, toItems(answer)),
  toStream,
  toErrorBody: toOpenAiError,
};

function read(body: unknown): ModelRequest {
  const { model, stream, instructions, input, tools } = bodySchema.parse(body);
  const system: readonly Entry[] = instructions ? [{ kind: "prompt", text: instructions }] : [];
  return {
    model,
    isStream: stream,
    entries: [...system, ...input.flatMap(toEntry)],
    tools: tools.flatMap(toTools),
  };
}

function toEntry({ type, role, name, content, output }: z.infer<typeof itemSchema>): Entry[] {
  if (type.endsWith("_output")) return [{ kind: "result", text: output ?? "" }];
  if (type.endsWith("_call")) return [{ kind: "call", text: name ?? "" }];
  if (type !== "message") return [];
  return [{ kind: role === "assistant" ? "reply" : "prompt", text: content ?? "" }];
}

function toTools({ type, name = type, tools = [] }: z.infer<typeof toolSchema>): OfferedTool[] {
  if (type !== "namespace") return [{ name }];
  return tools.map((tool) => ({ name: tool.name, namespace: name }));
}

// In seconds; no client looks at it, but one wants it there.
const CREATED_AT = 1_764_000_000;

interface Item {
  readonly type: string;
  readonly id: string;
  readonly [name: string]: Json;
}

function toItems({ text, calls, isRefusal = false }: ModelAnswer): readonly Item[] {
  const items = calls.map(toCallItem);
  return text === undefined ? items : [toMessageItem(toPart(text, isRefusal)), ...items];
}

function toMessageItem(part: Json): Item {
  return {
    type: "message",
    id: newId("msg_"),
    role: "assistant",
    status: "completed",
    content: [part],
  };
}

function toPart(text: string, isRefusal: boolean): Json {
  return isRefusal
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [] };
}

function toCallItem({ tool, args }: ModelCall): Item {
  const { name, namespace } = tool;
  return {
    type: "function_call",
    id: newId("fc_"),
    call_id: newId("call_"),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(args),
    status: "completed",
  };
}

function toResponse(model: string, output: readonly Item[]) {
  const usage = {
    input_tokens: TOKENS.input,
    input_tokens_details: { cached_tokens: TOKENS.cachedInput },
    output_tokens: TOKENS.output,
    output_tokens_details: { reasoning_tokens: TOKENS.reasoning },
    total_tokens: TOKENS.input + TOKENS.output,
  };
  const id = newId("resp_");
  const created_at = CREATED_AT;
  return { id, object: "response", created_at, status: "completed", model, output, usage };
}

function toStream(answer: ModelAnswer, { model }: ModelRequest): readonly StreamEvent[] {
  const items = toItems(answer);
  const response = toResponse(model, items);
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events = [
    { type: "response.created", response: begun },
    ...items.flatMap((item, index) => toItemEvents(item, index, answer)),
    { type: "response.completed", response },
  ];
  return events.map((data, index) => ({
    event: data.type,
    data: { ...data, sequence_number: index },
  }));
}

function toItemEvents(item: Item, index: number, { text = "", isRefusal = false }: ModelAnswer) {
  const place = { output_index: index };
  const begun = { ...item, status: "in_progress" };
  const done = { type: "response.output_item.done", ...place, item };
  if (item.type !== "message")
    return [{ type: "response.output_item.added", ...place, item: begun }, done];
  const part = { ...place, item_id: item.id, content_index: 0 };
  const [kind, member] = isRefusal ? ["refusal", "refusal"] : ["output_text", "text"];
  return [
    { type: "response.output_item.added", ...place, item: { ...begun, content: [] } },
    { type: "response.content_part.added", ...part, part: toPart("", isRefusal) },
    ...inPieces(text).map((delta) => ({ type: `response.${kind}.delta`, ...part, delta })),
    { type: `response.${kind}.done`, ...part, [member]: text },
    { type: "response.content_part.done", ...part, part: toPart(text, isRefusal) },
    done,
  ];
}
