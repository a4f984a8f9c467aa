import { type DocumentSuggestion, MAIN_DOCUMENT } from "../contracts/document.ts";
import type { PostReceipt } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { readDocument } from "./edit-document.ts";
import { documentNotOwned, documentSuggestionEmpty } from "./errors.ts";
import { postMessage } from "./post-message.ts";
import { assertMaySend } from "./sending-rate.ts";

/** Who suggests what. */
export interface Suggesting {
  readonly by: string;
  readonly suggestion: DocumentSuggestion;
  /** Recognises the same suggestion when its author's turn is attempted again. */
  readonly key: string;
  readonly mainChannel: string;
}

const LINE_END_PATTERN = /\r\n|[\n\r]/;

/**
 * Sends a suggestion to the owner of a document as a direct message; the document stays as it is. Raises
 * MESSAGE_DOCUMENT_NOT_OWNED, MESSAGE_DOCUMENT_SUGGESTION_EMPTY and what posting raises.
 */
export function suggestEdit(runtime: RunRuntime, suggesting: Suggesting): PostReceipt {
  const { by, suggestion, key, mainChannel } = suggesting;
  const { name = MAIN_DOCUMENT, text, note } = suggestion;
  const { state } = runtime;
  const { owner, revision } = readDocument(state, name);
  if (owner === undefined || owner === by) throw documentNotOwned({ document: name, by, owner });
  if (text.trim() === "") throw documentSuggestionEmpty({ document: name });
  if (!state.messages.byKey.has(key)) assertMaySend(state, by, runtime.timers.now());
  const head = `Suggestion for your document "${name}", made at its revision ${revision}:`;
  // Quoted, so that nothing in it can ask a person or count as a signal of its author.
  const parts = [head, quote(text), ...(note === undefined ? [] : [`Why: ${quote(note)}`])];
  const draft = { to: [owner], text: parts.join("\n\n") };
  return postMessage(runtime, { from: by, draft, key, mainChannel });
}

function quote(text: string): string {
  return text
    .split(LINE_END_PATTERN)
    .map((line) => `> ${line}`)
    .join("\n");
}
