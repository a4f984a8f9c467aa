import { RE2JS } from "re2js";
import { regexInvalid, regexTextTooLarge } from "./errors.ts";

const MAX_PATTERN_CHARS = 1000;
const MAX_PROGRAM_SIZE = 2000;
// Each is a list of hundreds of ranges, which costs half a millisecond to fold into one.
const MAX_UNICODE_CLASSES = 30;
// About 200 ms in the slowest case that was measured (simulation of all states at once).
const MAX_WORK = 16_000_000;

/** A regular expression that matches in time linear in the text. */
export interface LinearRegex {
  readonly pattern: string;
  /** Instructions that it compiles to; matching takes at most this times the length of the text. */
  readonly size: number;
  /** Whether it matches anywhere in the text. Raises EXPRESSION_REGEX_TEXT_TOO_LARGE. */
  isFoundIn(text: string): boolean;
}

/** Compiles RE2 syntax. Raises EXPRESSION_REGEX. */
export function compileRegex(pattern: string): LinearRegex {
  if (pattern.length > MAX_PATTERN_CHARS)
    throw regexInvalid({ pattern, reason: `it has more than ${MAX_PATTERN_CHARS} characters` });
  if (unicodeClassesIn(pattern) > MAX_UNICODE_CLASSES)
    throw regexInvalid({
      pattern,
      reason: `it names more than ${MAX_UNICODE_CLASSES} classes like \\p{L}`,
    });
  const program = compile(pattern);
  const size = program.programSize();
  if (size > MAX_PROGRAM_SIZE)
    throw regexInvalid({ pattern, reason: "it is too large once its repeats are written out" });
  return {
    pattern,
    size,
    isFoundIn: (text) => {
      if (text.length * size > MAX_WORK) throw regexTextTooLarge({ pattern, chars: text.length });
      return program.test(text);
    },
  };
}

/** How many classes like `\p{L}` a pattern names. */
export function unicodeClassesIn(pattern: string): number {
  return pattern.match(/\\[pP]/g)?.length ?? 0;
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw regexInvalid(
      { pattern, reason: reason.replace(/^error parsing regexp: /, "") },
      { cause: error },
    );
  }
}
