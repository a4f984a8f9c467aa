import { RE2JS } from "re2js";
import { regexInvalid, regexTextTooLarge } from "./errors.ts";

const MAX_PATTERN_CHARS = 1000;
const MAX_PROGRAM_SIZE = 2000;
// About 200 ms in the slowest case that was measured (simulation of all states at once).
const MAX_WORK = 16_000_000;

/** A regular expression that matches in time linear in the text. */
export interface LinearRegex {
  readonly pattern: string;
  /** Whether it matches anywhere in the text. Raises EXPRESSION_REGEX_TEXT_TOO_LARGE. */
  isFoundIn(text: string): boolean;
}

/** Compiles RE2 syntax. Raises EXPRESSION_REGEX. */
export function compileRegex(pattern: string): LinearRegex {
  if (pattern.length > MAX_PATTERN_CHARS)
    throw regexInvalid({ pattern, reason: `it has more than ${MAX_PATTERN_CHARS} characters` });
  const program = compile(pattern);
  const size = program.programSize();
  if (size > MAX_PROGRAM_SIZE)
    throw regexInvalid({ pattern, reason: "it is too large once its repeats are written out" });
  return {
    pattern,
    isFoundIn: (text) => {
      if (text.length * size > MAX_WORK) throw regexTextTooLarge({ pattern, chars: text.length });
      return program.test(text);
    },
  };
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
