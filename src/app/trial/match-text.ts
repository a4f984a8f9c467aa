import { compileRegex } from "../../programs/language/regex.ts";
import type { NumberMatch, TextMatch } from "./test-file-schema.ts";

/** What was expected, in words; undefined when the text is as expected. Raises EXPRESSION_REGEX. */
export function matchText(text: string, match: TextMatch): string | undefined {
  if (typeof match === "string") return text.includes(match) ? undefined : quoted(match);
  const { equals, contains = [], matches, lacks = [] } = match;
  if (equals !== undefined && text.trim() !== equals.trim()) return `exactly ${quoted(equals)}`;
  const missing = [contains].flat().find((part) => !text.includes(part));
  if (missing !== undefined) return quoted(missing);
  if (matches !== undefined && !compileRegex(matches).isFoundIn(text)) return `/${matches}/`;
  const unwanted = [lacks].flat().find((part) => text.includes(part));
  return unwanted === undefined ? undefined : `no ${quoted(unwanted)}`;
}

/** What was expected, in words; undefined when the number is as expected. */
export function matchNumber(value: number, match: NumberMatch): string | undefined {
  if (typeof match === "number") return value === match ? undefined : String(match);
  const { atLeast = -Infinity, atMost = Infinity } = match;
  if (value < atLeast) return `at least ${atLeast}`;
  return value > atMost ? `at most ${atMost}` : undefined;
}

/** A text as it is shown where it differs: in quotes, on one line, not too long. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return JSON.stringify(line.length > 160 ? `${line.slice(0, 160).toWellFormed()}…` : line);
}
