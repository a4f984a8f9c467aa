/** How an agent works in one turn, where that is not as it is declared. */
export interface TurnTerms {
  readonly model?: string;
  /** All that it may use, as rules such as `Read` or `Bash(git add *)`: no more than it may anyway. */
  readonly tools?: readonly string[];
}
