import { type DocumentEdit, type DocumentRevision, MAIN_DOCUMENT } from "../contracts/document.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { RunState } from "../fold/run-state.ts";
import { ID_PATTERN } from "../foundation/ids.ts";
import { documentConflict, documentNameInvalid, documentTooLarge } from "./errors.ts";

/** The size that one document may have: 1 MiB of UTF-8. */
const MAX_DOCUMENT_BYTES = 1_048_576;

/** Who changes what. */
export interface Editing {
  readonly by: string;
  readonly edit: DocumentEdit;
  /** Recognises the same edit when its author's turn is attempted again. */
  readonly key: string;
}

/**
 * Appends a new revision of a document. A key that is known already changes nothing. Raises
 * MESSAGE_DOCUMENT_NAME_INVALID, MESSAGE_DOCUMENT_CONFLICT, MESSAGE_DOCUMENT_TOO_LARGE.
 */
export function editDocument(runtime: RunRuntime, editing: Editing): DocumentRevision {
  const { by, edit, key } = editing;
  const name = edit.name ?? MAIN_DOCUMENT;
  if (!ID_PATTERN.test(name)) throw documentNameInvalid({ document: name });
  const current = readDocument(runtime.state, name);
  if (runtime.state.documents.revisionByKey.has(key)) return current;
  if (edit.ifRevision !== undefined && edit.ifRevision !== current.revision) {
    const { revision, text } = current;
    throw documentConflict({ document: name, expected: edit.ifRevision, revision, text });
  }
  const added = edit.text.toWellFormed();
  const text = edit.kind === "append" ? current.text + added : added;
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > MAX_DOCUMENT_BYTES) {
    throw documentTooLarge({ document: name, sizeBytes, maxBytes: MAX_DOCUMENT_BYTES });
  }
  const revision = current.revision + 1;
  const change = { kind: edit.kind, text: added };
  runtime.append({ type: "document-changed", document: name, revision, by, change, key });
  return { name, revision, text, by };
}

/** A document at its latest revision; empty at revision 0 when nobody wrote it. */
export function readDocument(state: RunState, name: string = MAIN_DOCUMENT): DocumentRevision {
  const document = state.documents.byName.get(name);
  if (document === undefined) return { name, revision: 0, text: "" };
  const { revision, text, by } = document;
  return { name, revision, text, by };
}
