/** A limit of a day that is spent. */
export interface SpentDay {
  /** USD. */
  readonly limit: number;
  readonly spent: number;
  /** Whose runs it counts: those of one project, or all of this user. */
  readonly of: "project" | "user";
}

/** What the runs of a day may cost together, whoever carries them out. */
export interface DayBudget {
  /**
   * The limit that is spent now; undefined while there is room. `costUsd` is what the run of whoever asks has cost in
   * all, with turns that are not in its journal yet.
   */
  spentAt(costUsd: number): SpentDay | undefined;
}
