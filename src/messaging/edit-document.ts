import { type DocumentEdit, type DocumentRevision, MAIN_DOCUMENT } from "../contracts/document.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { ID_PATTERN } from "../foundation/ids.ts";
import { assertMayWrite, claimedBy, ownerOf } from "./document-owner.ts";
import {
  documentConflict,
  documentNameInvalid,
  documentsTooMany,
  documentTooLarge,
} from "./errors.ts";
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
