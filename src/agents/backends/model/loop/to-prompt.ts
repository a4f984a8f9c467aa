import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { sha256 } from "../../../../foundation/hash.ts";
import { isRecord } from "../../../../foundation/json.ts";
import { type AnswerEntry, type AnswerPart, callsOf, type SessionEntry } from "./entry.ts";
import { flatten } from "./next-step.ts";

// Others than Anthropic find out by themselves what they have seen before.
const CACHED: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

const NO_RESULT = "cancelled";

/** What a model is shown, and its hash. */
export interface ShownPrompt {
  readonly prompt: LanguageModelV4Prompt;
  /** Of the messages, in order. */
  readonly hash: string;
}

/**
 * Shows a model its session: the system prompt, and what the record holds since its beginning. What was shown once and can
 * say nothing else any more is neither turned into messages nor hashed again, however long the session becomes.
 */
export class PromptWriter {
  readonly #messages = new WeakMap<SessionEntry, readonly LanguageModelV4Message[]>();
  readonly #hashes = new WeakMap<LanguageModelV4Message, string>();

  show(
    system: string,
    entries: readonly SessionEntry[],
    ...then: readonly LanguageModelV4Message[]
  ): ShownPrompt {
    const shown = flatten(entries);
    const messages = shown.flatMap((entry, index) => this.#messagesAt(shown, index, entry));
    messages.push(...then);
    const hash = sha256(`${sha256(system)}${messages.map((each) => this.#hashOf(each)).join("")}`);
    const last = messages.pop();
    const prompt: LanguageModelV4Prompt = [
      { role: "system", content: system, providerOptions: CACHED },
      ...messages,
      ...(last === undefined ? [] : [{ ...last, providerOptions: CACHED }]),
    ];
    return { prompt, hash };
  }

  #messagesAt(
    shown: readonly SessionEntry[],
    index: number,
    entry: SessionEntry,
  ): readonly LanguageModelV4Message[] {
    const known = this.#messages.get(entry);
    if (known !== undefined) return known;
    const results = entry.kind === "answer" ? resultsIn(shown, index) : NO_RESULTS;
    const messages = messagesOf(entry, results);
    const isFinal =
      entry.kind !== "answer" || callsOf(entry).every(({ call }) => results.has(call));
    if (isFinal) this.#messages.set(entry, messages);
    return messages;
  }

  #hashOf(message: LanguageModelV4Message): string {
    const hash = this.#hashes.get(message) ?? sha256(JSON.stringify(message));
    this.#hashes.set(message, hash);
    return hash;
  }
}

/** How a model is told of what is left out. */
export function summaryText(summary: string): string {
  return `[troupe] What came before is left out. This is a summary of it:\n\n${summary}`;
}

type Results = ReadonlyMap<string, Extract<SessionEntry, { readonly kind: "result" }>>;

const NO_RESULTS: Results = new Map();

/** Results stand behind the answer that called for them. */
function resultsIn(shown: readonly SessionEntry[], from: number): Results {
  const results = shown.slice(from).filter((entry) => entry.kind === "result");
  return new Map(results.map((entry) => [entry.call, entry]));
}

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
