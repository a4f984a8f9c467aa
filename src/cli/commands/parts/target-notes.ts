/** How a run is named where one is expected. */
export const targetNotes: readonly string[] = [
  "A run is named by its id or the beginning of it, @last, @failed, @instance, by",
  "an agent of it (coder, coder@pr-123) or by its workflow. Runs that are not over",
  "come first; of those that are, the newest is meant.",
];
