import type { Offsets } from "../errors.ts";
import { expressionSyntax } from "../errors.ts";

/** A word of an expression. `name` covers keywords too; `text` has the value of strings. */
export interface Token {
  readonly kind: "name" | "string" | "number" | "symbol" | "end";
  readonly text: string;
  readonly span: Offsets;
}

// Longer symbols first, so that === is not read as == and =.
const SYMBOLS = ["===", "!==", "==", "!=", "<=", ">=", "&&", "||"];
const SINGLE = "<>!().[],";
const SPACE = /[ \t\r\n]+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?/y;
const MEMBER = /[A-Za-z0-9_][A-Za-z0-9_-]*/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
  ["/", "/"],
]);

/** The words of an expression, with an `end` token last. Raises EXPRESSION_SYNTAX. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  while (true) {
    offset += matchAt(SPACE, source, offset)?.length ?? 0;
    if (offset >= source.length) break;
    const isMember = tokens.at(-1)?.text === "." && tokens.at(-1)?.kind === "symbol";
    const token = nextToken(source, offset, isMember);
    tokens.push(token);
    offset = token.span.end;
  }
  return [...tokens, { kind: "end", text: "", span: { start: source.length, end: source.length } }];
}

function nextToken(source: string, start: number, isMember: boolean): Token {
  const character = source.charAt(start);
  if (character === '"' || character === "'") return stringToken(source, start);
  // After a dot, digits are a position or begin a name, and the next dot is not theirs: items.0.name
  const member = isMember ? matchAt(MEMBER, source, start) : undefined;
  if (member !== undefined) return plainToken("name", member, start);
  const number = matchAt(NUMBER, source, start);
  if (number !== undefined) return plainToken("number", number, start);
  const name = matchAt(NAME, source, start);
  if (name !== undefined) return plainToken("name", name, start);
  const symbol = SYMBOLS.find((candidate) => source.startsWith(candidate, start));
  if (symbol !== undefined) return plainToken("symbol", symbol, start);
  if (SINGLE.includes(character)) return plainToken("symbol", character, start);
  throw unexpected(source, start);
}

function stringToken(source: string, start: number): Token {
  const quote = source.charAt(start);
  let text = "";
  for (let index = start + 1; index < source.length; index += 1) {
    const character = source.charAt(index);
    if (character === quote) return { kind: "string", text, span: { start, end: index + 1 } };
    if (character !== "\\") {
      text += character;
      continue;
    }
    index += 1;
    const escaped = ESCAPES.get(source.charAt(index));
    // Regular expressions are full of backslashes: \d stays \d instead of being refused.
    text += escaped ?? `\\${source.charAt(index)}`;
  }
  throw expressionSyntax({
    reason: "a text is not closed",
    span: { start, end: source.length },
  });
}

function unexpected(source: string, start: number): Error {
  const character = String.fromCodePoint(source.codePointAt(start) ?? 0);
  const span = { start, end: start + character.length };
  const advice = new Map([
    ["=", "compare with =="],
    ["&", 'write && for "and"'],
    ["|", 'write || for "or"'],
    ["-", "there is no subtraction"],
    ["+", "there is no arithmetic"],
    ["{", "paths stand without braces"],
    ["$", "paths stand without $"],
  ]).get(character);
  const shown = JSON.stringify(character);
  return expressionSyntax({
    reason: advice === undefined ? `${shown} has no meaning here` : `${shown}: ${advice}`,
    span,
  });
}

function plainToken(kind: Token["kind"], text: string, start: number): Token {
  return { kind, text, span: { start, end: start + text.length } };
}

function matchAt(pattern: RegExp, source: string, offset: number): string | undefined {
  // Set before each use, so that a shared sticky pattern carries nothing over.
  pattern.lastIndex = offset;
  return pattern.exec(source)?.[0];
}
