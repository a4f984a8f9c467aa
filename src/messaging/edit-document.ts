import {
  type DocumentEdit,
  type DocumentRevision,
  type DocumentSuggestion,
  MAIN_DOCUMENT,
} from "../contracts/document.ts";
import type { PostReceipt } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import { isPostedUnder } from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { ID_PATTERN } from "../foundation/ids.ts";
import {
  documentConflict,
  documentNameInvalid,
  documentNotOwned,
  documentOwned,
  documentSuggestionEmpty,
  documentsTooMany,
  documentTooLarge,
  documentUnclaimable,
} from "./errors.ts";
import { postMessage } from "./post-message.ts";
import { assertMaySend } from "./sending-rate.ts";

/** The size that one document may have: 1 MiB of UTF-8. */
export const MAX_DOCUMENT_BYTES = 1_048_576;
/** Every document may become a file, so a run has only so many. */
const MAX_DOCUMENTS = 200;

/** Who changes what. */
export interface Editing {
  readonly by: string;
  readonly edit: DocumentEdit;
  /** Recognises the same edit when its author's turn is attempted again. */
  readonly key: string;
}

/**
 * Appends a new revision of a document. A key that is known already changes nothing. Raises
 * MESSAGE_DOCUMENT_NAME_INVALID, MESSAGE_DOCUMENT_OWNED, MESSAGE_DOCUMENT_UNCLAIMABLE,
 * MESSAGE_DOCUMENT_CONFLICT, MESSAGE_DOCUMENT_TOO_LARGE, MESSAGE_DOCUMENTS_TOO_MANY, MESSAGE_RATE_EXCEEDED.
 */
export function editDocument(runtime: RunRuntime, editing: Editing): DocumentRevision {
  const { by, edit, key } = editing;
  const { state } = runtime;
  const name = edit.name ?? MAIN_DOCUMENT;
  if (!ID_PATTERN.test(name)) throw documentNameInvalid({ document: name });
  const current = readDocument(state, name);
  if (state.documents.revisionByKey.has(key)) return current;
  assertMaySend(state, by, runtime.timers.now());
  if (edit.kind === "write") assertMayWrite(state, { by, document: name });
  const claimed = claimedBy(state, { by, edit, current });
  assertUnchanged(edit, current);
  const added = edit.text.toWellFormed();
  const text = edit.kind === "append" ? current.text + added : added;
  assertRoom(state, { ...current, text });
  const revision = current.revision + 1;
  const change = { kind: edit.kind, text: added };
  runtime.append({
    type: "document-changed",
    document: name,
    revision,
    by,
    change,
    ...claimed,
    key,
  });
  return readDocument(state, name);
}

/** A document at its latest revision; empty at revision 0 when nobody wrote it. */
export function readDocument(state: RunState, name: string = MAIN_DOCUMENT): DocumentRevision {
  const document = state.documents.byName.get(name);
  if (document === undefined) return { name, revision: 0, text: "" };
  const { revision, text, by } = document;
  const owner = ownerOf(state, name);
  return { name, revision, text, by, ...(owner === undefined ? {} : { owner }) };
}

/** All documents that somebody has written, in the order of their first revision. */
export function listDocuments(state: RunState): readonly DocumentRevision[] {
  return [...state.documents.byName.keys()].map((name) => readDocument(state, name));
}

function assertUnchanged({ ifRevision }: DocumentEdit, current: DocumentRevision): void {
  if (ifRevision === undefined || ifRevision === current.revision) return;
  const { name, revision, text } = current;
  throw documentConflict({ document: name, expected: ifRevision, revision, text });
}

function assertRoom({ documents }: RunState, { name, revision, text }: DocumentRevision): void {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > MAX_DOCUMENT_BYTES)
    throw documentTooLarge({ document: name, sizeBytes, maxBytes: MAX_DOCUMENT_BYTES });
  if (revision === 0 && documents.byName.size >= MAX_DOCUMENTS)
    throw documentsTooMany({ document: name, limit: MAX_DOCUMENTS });
}

/** The agent that owns a document; undefined when none does, or when it has left: then it belongs to all again. */
function ownerOf(state: RunState, name: string): string | undefined {
  const owner = state.documents.byName.get(name)?.owner;
  if (owner === undefined || findAgent(state, owner)?.status === "exited") return undefined;
  return owner;
}

/**
 * Refuses that anybody but its owner replaces the text of a document. What is no agent, people above all, may
 * always write. Raises MESSAGE_DOCUMENT_OWNED.
 */
function assertMayWrite(
  state: RunState,
  { by, document }: { readonly by: string; readonly document: string },
): void {
  const owner = ownerOf(state, document);
  if (owner === undefined || owner === by || findAgent(state, by) === undefined) return;
  throw documentOwned({ document, owner, by });
}

/**
 * The owner that an edit makes, if it makes one: an agent may claim a document that it is the first to write,
 * or that is its own already. Raises MESSAGE_DOCUMENT_UNCLAIMABLE.
 */
function claimedBy(state: RunState, { by, edit, current }: Claiming): { readonly owner?: string } {
  if (edit.claim !== true) return {};
  const document = current.name;
  const refuse = (reason: string) => documentUnclaimable({ document, by, reason });
  if (document === MAIN_DOCUMENT) throw refuse("it belongs to all");
  if (findAgent(state, by) === undefined) throw refuse("only an agent can own a document");
  if (current.owner === by) return {};
  if (current.revision > 0) throw refuse(`"${current.by}" has already written to it`);
  return { owner: by };
}

interface Claiming {
  readonly by: string;
  readonly edit: Pick<DocumentEdit, "claim">;
  readonly current: DocumentRevision;
}

/** Who suggests what. */
interface Suggesting {
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
  if (!isPostedUnder(state, key)) assertMaySend(state, by, runtime.timers.now());
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
