/**
 * Runs every part of a clean-up in order, also those after one that fails. Rejects with an AggregateError of what failed
 * then.
 */
export async function cleanUpAll(parts: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      if (error instanceof AggregateError) errors.push(...error.errors);
      else errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(messageOf).join("; "));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
