/** The document that tools use when none is named. It belongs to all. */
export const MAIN_DOCUMENT = "notes";

/** A shared text at one revision; revision 0 is the empty document. */
export interface DocumentRevision {
  readonly name: string;
  readonly revision: number;
  readonly text: string;
  readonly by?: string;
  /** The agent that alone may replace the text; others append or suggest. */
  readonly owner?: string;
}

/** A change that one participant asks for. */
export interface DocumentEdit {
  readonly name?: string;
  readonly kind: "write" | "append";
  readonly text: string;
  /** Refuse with MESSAGE_DOCUMENT_CONFLICT unless the document is at this revision. */
  readonly ifRevision?: number;
  /** Become the owner of a document that nobody has written yet. Defaults to false. */
  readonly claim?: boolean;
}

/** A change that somebody asks the owner of a document for. */
export interface DocumentSuggestion {
  readonly name?: string;
  readonly text: string;
  /** Why. */
  readonly note?: string;
}
