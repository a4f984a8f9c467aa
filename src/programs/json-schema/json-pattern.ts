import { RE2JS } from "re2js";
import { compileRegex, type LinearRegex } from "../language/regex.ts";

/** Compiles a pattern of a JSON Schema, whose spelling is that of JavaScript. Raises EXPRESSION_REGEX. */
export function compilePattern(pattern: string): LinearRegex {
  return compileRegex(RE2JS.translateRegExp(pattern));
}
