import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { toUsage, type Usage } from "../../../../contracts/usage.ts";
import { storableJson } from "../../../../foundation/json.ts";
import { present } from "../../../../foundation/present.ts";
import { bodyTooLarge } from "../../../../host/system/errors.ts";
import { type AnswerEntry, type AnswerPart, optionsSchema } from "./entry.ts";

// No model says as much; a server that does not stop must not fill the memory.
const MAX_ANSWER_CHARS_OF_MODEL = 4 * 1024 * 1024;
/** What a part takes beside its text, so that no number of empty ones fills it either. */
const PART_CHARS = 32;

/** A whole answer of a model. */
export interface ReadAnswer {
  readonly finish: AnswerEntry["finish"];
  readonly parts: readonly AnswerPart[];
  readonly usage: Usage;
}

/** Puts an answer together from the parts of its stream. */
export class AnswerReader {
  readonly #callPrefix: string;
  readonly #blocks = new Map<string, Block>();
  readonly #parts: (AnswerPart | Block)[] = [];
  #calls = 0;
  #chars = 0;
  /** Of calls that have not come whole. */
  #inputChars = 0;
  #finish: LanguageModelV4FinishReason | undefined;
  #usage: Usage = {};

  /** `callPrefix` begins the names of its calls. */
  constructor(callPrefix: string) {
    this.#callPrefix = callPrefix;
  }

  /** Takes a part; what it throws is what the provider said instead of going on. */
  take(part: LanguageModelV4StreamPart): void {
    this.#count(part);
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#open(part.type === "text-start" ? "text" : "reasoning", part);
        return;
      case "text-delta":
      case "reasoning-delta":
        this.#block(part).text += part.delta;
        return;
      case "text-end":
      case "reasoning-end":
        this.#block(part);
        return;
      case "tool-call":
        this.#calls += 1;
        this.#parts.push({
          type: "call",
          call: `${this.#callPrefix}.${this.#calls}`,
          id: part.toolCallId,
          tool: part.toolName,
          input: part.input,
          ...toOptions(part.providerMetadata),
        });
        return;
      case "finish":
        this.#finish = part.finishReason;
        this.#usage = toUsageOf(part.usage);
        return;
      case "error":
        throw part.error;
      default:
        return;
    }
  }

  /** The answer; undefined when the stream broke off before its end. */
  get whole(): ReadAnswer | undefined {
    const reason = this.#finish?.unified;
    if (reason === undefined || reason === "interrupted" || reason === "error") return undefined;
    if (reason === "tool-calls" && this.parts.every(isEmpty)) this.#addUnnamedCall();
    return { finish: this.#toFinish(reason), parts: this.parts, usage: this.#usage };
  }

  /** All that has come so far. */
  get parts(): readonly AnswerPart[] {
    return this.#parts.map((part) => {
      if (part.type === "call" || !("metadata" in part)) return part;
      return { type: part.type, text: part.text, ...toOptions(part.metadata) };
    });
  }

  /** Some providers' packages drop a call that has no name; the model has to learn that nothing was called. */
  #addUnnamedCall(): void {
    this.#calls += 1;
    const call = `${this.#callPrefix}.${this.#calls}`;
    this.#parts.push({ type: "call", call, id: call, tool: "", input: "{}" });
  }

  /** Raises HOST_BODY_TOO_LARGE. */
  #count(part: LanguageModelV4StreamPart): void {
    this.#chars += "delta" in part ? part.delta.length : PART_CHARS;
    if (part.type === "tool-input-delta") this.#inputChars += part.delta.length;
    if (part.type === "tool-call") {
      // Most providers have sent its input piece by piece before.
      this.#chars += Math.max(0, part.input.length - this.#inputChars);
      this.#inputChars = Math.max(0, this.#inputChars - part.input.length);
    }
    if (this.#chars > MAX_ANSWER_CHARS_OF_MODEL)
      throw bodyTooLarge({ source: "the model", limit: "4 Mi characters in one answer" });
  }

  #toFinish(reason: LanguageModelV4FinishReason["unified"]): AnswerEntry["finish"] {
    if (reason === "content-filter") return "refusal";
    if (reason === "length") return "length";
    return this.#calls > 0 ? "calls" : "stop";
  }

  #open(type: Block["type"], { id, providerMetadata }: BlockPart): void {
    const block: Block = { type, text: "", metadata: providerMetadata };
    this.#blocks.set(id, block);
    this.#parts.push(block);
  }

  #block({ id, providerMetadata }: BlockPart): { text: string } {
    const block = this.#blocks.get(id) ?? { type: "text", text: "", metadata: undefined };
    block.metadata = providerMetadata ?? block.metadata;
    return block;
  }
}

function isEmpty(part: AnswerPart): boolean {
  return part.type === "reasoning" || (part.type === "text" && part.text.trim() === "");
}

/** A block of text that grows. */
interface Block {
  readonly type: "text" | "reasoning";
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

interface BlockPart {
  readonly id: string;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

/** What the provider wants to see again with a part: signatures of thoughts, names of items. */
function toOptions(metadata: SharedV4ProviderMetadata | undefined): Pick<AnswerPart, "options"> {
  if (metadata === undefined) return {};
  const options = optionsSchema.safeParse(storableJson(metadata)).data;
  return options === undefined ? {} : { options };
}

function toUsageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const told = present({
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cachedTokens: inputTokens.cacheRead,
  });
  return toUsage(told);
}
