/** Something that may stand at a place of the command line. */
export interface Candidate {
  readonly value: string;
  /** What it is, for shells that show it. */
  readonly about?: string;
}
