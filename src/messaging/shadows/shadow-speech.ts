/** What a shadow says that has nothing to say; it is not posted. */
export const NOTHING_TO_SAY = "PASS";

/** Why no signal of a shadow counts. */
export const SHADOW_SIGNAL_REFUSED =
  "you are a shadow: you have no task that a signal could end, and that of the agent you watch is not yours";

const NOTHING_PATTERN = new RegExp(`^\\s*${NOTHING_TO_SAY}\\.?\\s*$`);

/** Whether a shadow passes. */
export function saysNothing(text: string): boolean {
  return NOTHING_PATTERN.test(text);
}
