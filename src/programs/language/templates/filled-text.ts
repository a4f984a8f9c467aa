/** A text with its variables filled in: in pieces, so that what others wrote stays apart from what its author wrote. */
export type FilledText = readonly FilledPiece[];

/** One piece of a text. */
export interface FilledPiece {
  readonly text: string;
  /** Where it is from, in one line, when neither the author of the file nor the person who started the run wrote it. */
  readonly source?: string;
}

/** The text as it is, for programs. */
export function plainText(filled: FilledText): string {
  return filled.map(({ text }) => text).join("");
}
