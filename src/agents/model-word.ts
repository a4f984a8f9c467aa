/** Words that stand for a model with one backend, and mean nothing to the others. */
const BACKENDS: ReadonlyMap<string, string> = new Map(
  ["haiku", "opus", "opusplan", "sonnet"].map((word) => [word, "claude"]),
);

/**
 * The model that an agent type wishes for, on the backend on which its agent runs; undefined when the wish means
 * nothing there, so that the agent has the model that it would have without.
 */
export function wishedModel(model: string | undefined, backend: string): string | undefined {
  if (model === undefined || model === "inherit") return undefined;
  const owner = BACKENDS.get(model);
  return owner === undefined || owner === backend ? model : undefined;
}
