import { z } from "zod";
import type { Json } from "../../../../src/foundation/json.ts";
import { type Entry, type ModelAnswer, type ModelRequest, TOKENS } from "../model-request.ts";
import { inPieces, type ModelProtocol, newId, type StreamEvent } from "../protocol.ts";

const partSchema = z.looseObject({
  text: z.string().optional(),
  functionCall: z.looseObject({ name: z.string() }).optional(),
  functionResponse: z.looseObject({ response: z.json().optional() }).optional(),
});

const contentSchema = z.looseObject({
  role: z.string().default("user"),
  parts: z.array(partSchema).default([]),
});

const bodySchema = z.looseObject({
  systemInstruction: contentSchema.optional(),
  contents: z.array(contentSchema),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z.array(z.looseObject({ name: z.string() })).default([]),
      }),
    )
    .default([]),
});

/** Gemini's `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`. */
export const gemini: ModelProtocol = {
  name: "gemini",
  path: /^\/v1(?:alpha|beta)?\/models\/[^/]+:(?:generate|streamGenerate)Content$/,
  fixedRoutes: [
    {
      method: "POST",
      path: /^\/v1(?:alpha|beta)?\/models\/[^/]+:countTokens$/,
      body: { totalTokens: TOKENS.input },
    },
  ],
  read,
  toBody: (answer, { model }) => ({
    ...toContent(toParts(answer), finishReasonOf(answer)),
    ...toTail(model),
  }),
  toStream,
  toErrorBody: (status, message) => ({
    error: { code: status, message, status: statusNames[status] ?? "INTERNAL" },
  }),
};

const statusNames: { readonly [status: number]: string } = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function read(body: unknown, path: string): ModelRequest {
  const { systemInstruction, contents, tools } = bodySchema.parse(body);
  const all = systemInstruction === undefined ? contents : [systemInstruction, ...contents];
  return {
    model: /models\/([^/:]+):/.exec(path)?.[1] ?? "",
    isStream: path.endsWith(":streamGenerateContent"),
    entries: all.flatMap(({ role, parts }) => parts.flatMap((part) => toEntry(role, part))),
    tools: tools.flatMap(({ functionDeclarations }) => functionDeclarations),
  };
}

function toEntry(role: string, part: z.infer<typeof partSchema>): Entry[] {
  const { text, functionCall, functionResponse } = part;
  if (functionResponse !== undefined)
    return [{ kind: "result", text: resultText(functionResponse.response ?? null) }];
  if (functionCall !== undefined) return [{ kind: "call", text: functionCall.name }];
  if (text === undefined) return [];
  return [{ kind: role === "model" ? "reply" : "prompt", text }];
}

const outputSchema = z.looseObject({ output: z.string() });

function resultText(response: Json): string {
  const parsed = outputSchema.safeParse(response);
  return parsed.success ? parsed.data.output : JSON.stringify(response);
}

function toParts({ text, calls }: ModelAnswer): Json[] {
  const uses = calls.map(({ tool, args }) => ({ functionCall: { name: tool.name, args } }));
  return text === undefined ? uses : [{ text }, ...uses];
}

function toContent(parts: readonly Json[], finishReason?: string) {
  const reason = finishReason === undefined ? {} : { finishReason };
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...reason }] };
}

function toTail(model: string) {
  const usageMetadata = {
    promptTokenCount: TOKENS.input,
    cachedContentTokenCount: TOKENS.cachedInput,
    candidatesTokenCount: TOKENS.output,
    totalTokenCount: TOKENS.input + TOKENS.output,
  };
  return { usageMetadata, modelVersion: model, responseId: newId("") };
}

function toStream(answer: ModelAnswer, { model }: ModelRequest): readonly StreamEvent[] {
  const pieces = inPieces(answer.text ?? "").map((text) => ({ text }));
  const parts = [...pieces, ...toParts({ calls: answer.calls })];
  return [
    { data: toContent([{ text: "" }]) },
    ...parts.map((part) => ({ data: toContent([part]) })),
    { data: { ...toContent([{ text: "" }], finishReasonOf(answer)), ...toTail(model) } },
  ];
}

function finishReasonOf({ isRefusal }: ModelAnswer): string {
  return isRefusal === true ? "SAFETY" : "STOP";
}
