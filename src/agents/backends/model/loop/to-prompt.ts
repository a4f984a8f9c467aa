import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isRecord } from "../../../../foundation/json.ts";
import { type AnswerEntry, type AnswerPart, callsOf, type SessionEntry } from "./entry.ts";
import { flatten } from "./next-step.ts";

// Others than Anthropic find out by themselves what they have seen before.
const CACHED: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

const NO_RESULT = "cancelled";

/** What the model is shown: the system prompt, and what the record holds since its beginning. */
export function toPrompt(system: string, entries: readonly SessionEntry[]): LanguageModelV4Prompt {
  const shown = flatten(entries);
  const results = new Map(
    shown.flatMap((entry) => (entry.kind === "result" ? [[entry.call, entry] as const] : [])),
  );
  const messages = shown.flatMap((entry) => messagesOf(entry, results));
  const last = messages.at(-1);
  const before = messages.slice(0, -1);
  return [
    { role: "system", content: system, providerOptions: CACHED },
    ...before,
    ...(last === undefined ? [] : [{ ...last, providerOptions: CACHED }]),
  ];
}

/** How a model is told of what is left out. */
export function summaryText(summary: string): string {
  return `[troupe] What came before is left out. This is a summary of it:\n\n${summary}`;
}

type Results = ReadonlyMap<string, Extract<SessionEntry, { readonly kind: "result" }>>;

function messagesOf(entry: SessionEntry, results: Results): readonly LanguageModelV4Message[] {
  switch (entry.kind) {
    case "told":
      return [toldMessage(entry.text)];
    case "compacted":
      return entry.summary === undefined ? [] : [toldMessage(summaryText(entry.summary))];
    case "answer":
      return answerMessages(entry, results);
    case "started":
    case "result":
    case "summary":
    case "forked":
    case "pinned":
      return [];
  }
}

/** What somebody tells the model. */
export function toldMessage(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text: text === "" ? "(nothing)" : text }] };
}

/** An answer that says nothing is no message: providers refuse it. */
function answerMessages(entry: AnswerEntry, results: Results): readonly LanguageModelV4Message[] {
  const parts = entry.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const calls = callsOf(entry);
  if (calls.length === 0 && !parts.some(({ type }) => type === "text")) return [];
  const content = parts.map(toPart);
  const answered = calls.map(({ call, id, tool }): LanguageModelV4ToolResultPart => {
    const { isError, text } = results.get(call) ?? { isError: true, text: NO_RESULT };
    const output = { type: isError ? "error-text" : "text", value: text } as const;
    return { type: "tool-result", toolCallId: id, toolName: tool, output };
  });
  if (answered.length === 0) return [{ role: "assistant", content }];
  return [
    { role: "assistant", content },
    { role: "tool", content: answered },
  ];
}

type AssistantPart = Extract<LanguageModelV4Message, { readonly role: "assistant" }>["content"][0];

function toPart(part: AnswerPart): AssistantPart {
  const { options } = part;
  const given = options === undefined ? {} : { providerOptions: options };
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, text: part.text, ...given };
    case "call": {
      const { id: toolCallId, tool: toolName } = part;
      return { type: "tool-call", toolCallId, toolName, input: inputOf(part.input), ...given };
    }
  }
}

/** Providers take an object only, also of a call that was refused because it was none. */
function inputOf(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input === "" ? "{}" : input);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
