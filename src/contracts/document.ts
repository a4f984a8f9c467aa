/** The document that tools use when none is named. */
export const MAIN_DOCUMENT = "notes";

/** A shared text at one revision; revision 0 is the empty document. */
export interface DocumentRevision {
  readonly name: string;
  readonly revision: number;
  readonly text: string;
  readonly by?: string;
}

/** A change that one participant asks for. */
export interface DocumentEdit {
  readonly name?: string;
  readonly kind: "write" | "append";
  readonly text: string;
  /** Refuse with MESSAGE_DOCUMENT_CONFLICT unless the document is at this revision. */
  readonly ifRevision?: number;
}
