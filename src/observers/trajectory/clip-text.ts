const MAX_CHARS = 2000;

/** The beginning of a text, as much of it as one event of a trajectory holds; `fallback` where there is no text. */
export function clipText(text: string, fallback: string, maxChars: number = MAX_CHARS): string {
  const trimmed = text.trim();
  if (trimmed === "") return fallback;
  if (trimmed.length <= maxChars) return trimmed;
  return `${trimmed.slice(0, maxChars - 1).toWellFormed()}…`;
}
