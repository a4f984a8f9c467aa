const MAX_CHARS = 200;

/**
 * The last line of a text that says something, cut to its end; empty where there is none. Programs end what they
 * print with empty lines and rules, so a line with words is preferred.
 */
export function lastWords(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const last = lines.findLast((line) => /\p{L}/u.test(line)) ?? lines.at(-1);
  return last === undefined ? "" : last.trim().slice(-MAX_CHARS).toWellFormed();
}
