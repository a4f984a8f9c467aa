import type { RetryReason, TurnUpdate } from "../../../contracts/backend.ts";
import { type Json, storableJson } from "../../../foundation/json.ts";
import type { TurnReader } from "../parts/turn-reader.ts";
import { toEnding } from "./claude-ending.ts";
import {
  type ClaudeBlock,
  type ClaudeLine,
  type ClaudeLineOf,
  readClaudeLine,
} from "./claude-lines.ts";
import { plainToolName } from "./claude-tools.ts";
import type { ClaudeMeter } from "./claude-usage.ts";

/** What a reader has to know of its turn. */
export interface ClaudeReaderOptions {
  readonly agent: string;
  /** Ids of what the turn was told and no result has answered yet; the reader takes out what one answers. */
  readonly unanswered: Set<string>;
  readonly meter: ClaudeMeter;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface OpenCall {
  readonly tool: string;
  readonly input: Json;
}

/** The longest wait before its second retry that the program chooses by itself; longer ones the provider asked for. */
const LONGEST_OWN_DELAY_MS = 1300;
const EDITING_TOOLS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const ACTIVITY: readonly TurnUpdate[] = [{ type: "activity" }];
/** The model of messages that the program makes up itself. */
const NO_MODEL = "<synthetic>";

/** Reads one turn of Claude Code. */
export function createClaudeReader(options: ClaudeReaderOptions): TurnReader {
  const reader = new ClaudeReader(options);
  return {
    take: (line) => {
      const read = readClaudeLine(line);
      return read === undefined ? [] : reader.take(read);
    },
  };
}

class ClaudeReader {
  readonly #options: ClaudeReaderOptions;
  readonly #calls = new Map<string, OpenCall>();
  /** The message whose text came in deltas: it comes once more, whole. */
  #streamed: string | undefined;
  #hasText = false;
  #failure: string | undefined;
  #retryAfterMs: number | undefined;

  constructor(options: ClaudeReaderOptions) {
    this.#options = options;
  }

  take(line: ClaudeLine): readonly TurnUpdate[] {
    switch (line.type) {
      case "stream_event":
        return this.#takeEvent(line);
      case "assistant":
        return this.#takeMessage(line);
      case "user":
        return line.message.content.flatMap((block) => this.#takeResult(block, line));
      case "system":
        return line.subtype === "api_retry" ? [this.#takeRetry(line)] : ACTIVITY;
      case "tool_progress":
        return ACTIVITY;
      case "rate_limit_event":
        this.#takeRateLimit(line);
        return ACTIVITY;
      case "result":
        return this.#takeEnd(line);
    }
  }

  #takeEvent({ event, parent_tool_use_id: parent }: ClaudeLineOf<"stream_event">) {
    // What an agent of the agent says is not what it says itself.
    if (typeof parent === "string") return ACTIVITY;
    const { type, message, content_block: block, delta } = event;
    if (type === "message_start") this.#streamed = message?.id;
    if (type === "content_block_start" && block?.type === "text") return this.#beginText();
    const { text, thinking } = delta ?? {};
    if (delta?.type === "text_delta" && text !== undefined) return [textDelta(text)];
    if (delta?.type === "thinking_delta" && thinking !== undefined)
      return [{ type: "thinking", text: thinking } as const];
    return ACTIVITY;
  }

  #takeMessage(line: ClaudeLineOf<"assistant">): readonly TurnUpdate[] {
    const { message, parent_tool_use_id: parent, error } = line;
    if (typeof parent !== "string") this.#failure = error;
    const isTold =
      typeof parent === "string" || message.id === this.#streamed || message.model === NO_MODEL;
    const updates = message.content.flatMap((block): readonly TurnUpdate[] => {
      if (block.type === "tool_use") return this.#takeCall(block);
      if (block.type !== "text" || isTold || block.text === undefined) return [];
      return [...this.#beginText(), textDelta(block.text)];
    });
    return updates.length === 0 ? ACTIVITY : updates;
  }

  #takeCall({ id, name, input }: ClaudeBlock): readonly TurnUpdate[] {
    if (id === undefined || name === undefined) return [];
    const call = { tool: plainToolName(name), input: storableJson(input) };
    this.#calls.set(id, call);
    return [{ type: "tool-call", call: id, ...call }];
  }

  #takeResult(block: ClaudeBlock, line: ClaudeLineOf<"user">): readonly TurnUpdate[] {
    const { tool_use_id: id = "", is_error: isError = false, content } = block;
    const call = this.#calls.get(id);
    if (block.type !== "tool_result" || call === undefined) return [];
    this.#calls.delete(id);
    const { tool, input } = call;
    const result: TurnUpdate = {
      type: "tool-result",
      call: id,
      tool,
      isError,
      result: textOf(content),
    };
    const path = isError || !EDITING_TOOLS.has(tool) ? undefined : pathOf(input);
    if (path === undefined) return [result];
    const kind = line.tool_use_result?.type === "create" ? "create" : "edit";
    return [result, { type: "file-change", path, kind }];
  }

  #takeRetry({
    error_status: status,
    retry_delay_ms: delayMs,
  }: ClaudeLineOf<"system">): TurnUpdate {
    const reason = retryReason(status ?? undefined);
    if (reason === "rate-limit" && delayMs !== undefined && delayMs > LONGEST_OWN_DELAY_MS)
      this.#retryAfterMs = delayMs;
    return { type: "retrying", reason, ...(delayMs === undefined ? {} : { delayMs }) };
  }

  #takeRateLimit({ rate_limit_info: info }: ClaudeLineOf<"rate_limit_event">): void {
    const { status, resetsAt: resetsAtSeconds } = info ?? {};
    if (status !== "rejected" || resetsAtSeconds === undefined) return;
    this.#retryAfterMs = Math.max(0, resetsAtSeconds * 1000 - this.#options.now());
  }

  #takeEnd(result: ClaudeLineOf<"result">): readonly TurnUpdate[] {
    const { agent, unanswered, meter } = this.#options;
    const usage: TurnUpdate = { type: "usage", usage: meter.take(result) };
    const { user_message_uuids: answered } = result;
    // Older versions do not tell what they answer.
    if (answered === undefined || answered.length === 0) unanswered.clear();
    else for (const id of answered) unanswered.delete(id);
    // What was said too late to be part of this answer gets one of its own, in the same turn of the agent.
    if (unanswered.size > 0) return [usage];
    const [failure, retryAfterMs] = [this.#failure, this.#retryAfterMs];
    return [usage, toEnding(result, { agent, failure, retryAfterMs })];
  }

  /** Texts of one turn stand apart from each other. */
  #beginText(): readonly TurnUpdate[] {
    const isFirst = !this.#hasText;
    this.#hasText = true;
    return isFirst ? ACTIVITY : [textDelta("\n")];
  }
}

function textDelta(text: string): TurnUpdate {
  return { type: "text-delta", text };
}

function retryReason(status: number | undefined): RetryReason {
  if (status === undefined) return "connection";
  if (status === 429) return "rate-limit";
  return status === 529 ? "overloaded" : "server-error";
}

function pathOf(input: Json): string | undefined {
  if (input === null || typeof input !== "object") return undefined;
  for (const [name, value] of Object.entries(input))
    if (/^(file|notebook)_path$/.test(name) && typeof value === "string") return value;
  return undefined;
}

/** The text of a result, which may come in parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      const isText = typeof part === "object" && part !== null && "text" in part;
      return isText && typeof part.text === "string" ? part.text : "";
    })
    .join("\n");
}
