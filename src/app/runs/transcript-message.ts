import {
  type AnswerPart,
  callsOf,
  type SessionEntry,
} from "../../agents/backends/model/loop/entry.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Json } from "../../foundation/json.ts";

/** What one line of a transcript says: in the words of Claude Code's transcripts, which other tools read too. */
export type TranscriptMessage =
  | {
      readonly type: "user" | "assistant";
      readonly message: { readonly role: "user" | "assistant"; readonly content: Json };
    }
  /** What came before is shown to the model as this. */
  | { readonly type: "summary"; readonly summary: string };

/** What a session has written down; undefined for what is no word to or of its model. `idOf`: the provider's name of a call. */
export function toTranscriptMessage(
  entry: SessionEntry,
  idOf: (call: string) => string,
): TranscriptMessage | undefined {
  switch (entry.kind) {
    case "told":
      return told(entry.text);
    case "answer":
      return said(entry.parts.map(toBlock));
    case "result":
      return returned({ id: idOf(entry.call), isError: entry.isError, text: entry.text });
    case "compacted":
      return entry.summary === undefined ? undefined : { type: "summary", summary: entry.summary };
    case "started":
    case "summary":
    case "forked":
    case "pinned":
      return undefined;
  }
}

/** The provider's names of the calls of an answer, by Troupe's. */
export function callNames(entry: SessionEntry): readonly (readonly [string, string])[] {
  if (entry.kind !== "answer") return [];
  return callsOf(entry).map(({ call, id }) => [call, id] as const);
}

/** What the program of an agent told of itself; undefined for other events. */
export function eventMessage(event: JournalEvent): TranscriptMessage | undefined {
  switch (event.type) {
    case "tool-called":
      return said([{ type: "tool_use", id: event.call, name: event.tool, input: event.input }]);
    case "tool-returned":
      return returned({ id: event.call, isError: event.isError, text: event.result });
    case "turn-completed":
      return event.text === "" ? undefined : said([{ type: "text", text: event.text }]);
    case "turn-failed": {
      const { text = "", error } = event;
      return said([{ type: "text", text: [text, `${error.code}: ${error.message}`].join("\n") }]);
    }
    default:
      return undefined;
  }
}

/** What an agent is told. */
export function told(text: string): TranscriptMessage {
  return { type: "user", message: { role: "user", content: text } };
}

function said(content: readonly Json[]): TranscriptMessage {
  return { type: "assistant", message: { role: "assistant", content: [...content] } };
}

function returned({
  id,
  isError,
  text,
}: {
  readonly id: string;
  readonly isError: boolean;
  readonly text: string;
}): TranscriptMessage {
  const block = { type: "tool_result", tool_use_id: id, is_error: isError, content: text };
  return { type: "user", message: { role: "user", content: [block] } };
}

function toBlock(part: AnswerPart): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "thinking", thinking: part.text };
    case "call":
      return { type: "tool_use", id: part.id, name: part.tool, input: inputOf(part.input) };
  }
}

/** As the model meant it; what is no JSON stays a text. */
function inputOf(input: string): Json {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return input;
  }
}
