// Troupe shows agents how to signal: in conventions, reminders, tools. Whoever repeats that, whole, wrapped at another
// place or from the middle on, has not signalled. test/signals/own-words.test.ts holds every such text to this list.

const QUOTES = "[\\s`'\"*_]*";
/** What stands for a value in a form: `<result>`, `...`. */
const PLACEHOLDER_PATTERN = /^(?:<[\p{L}][^<>@:/\n]{0,80}>|\.{3}|…)$/u;
const OWN_START_PATTERN = new RegExp(
  `^${QUOTES}(?:<(?:result|summary|what you wait for|what went wrong)>|[,.]? ?followed by\\b|or${QUOTES}(?:BLOCKED|FAILED):|and says (?:why|how)\\b|and the question\\b)`,
);

/** What its author is told of such a payload. */
export const OWN_WORDS_REFUSED = "it repeats the form instead of filling it in";

/** Whether a payload is none: a placeholder, or how Troupe itself goes on behind the keyword. */
export function isOwnWords(payload: string): boolean {
  const text = payload.trim();
  return PLACEHOLDER_PATTERN.test(text) || OWN_START_PATTERN.test(text);
}
