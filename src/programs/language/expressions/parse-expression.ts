import { expressionFunction, expressionLimit, expressionSyntax, type Offsets } from "../errors.ts";
import type { BinaryOperator, Expression, ExpressionNode, Literal, PathNode } from "./syntax.ts";
import { type Token, tokenize } from "./tokenize.ts";

const MAX_CHARS = 4096;
const MAX_DEPTH = 32;
const KEYWORDS: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const COMPARISONS: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ["===", "=="],
  ["==", "=="],
  ["!==", "!="],
  ["!=", "!="],
  ["<", "<"],
  ["<=", "<="],
  [">", ">"],
  [">=", ">="],
  ["in", "in"],
]);

/** Parses an expression. Raises EXPRESSION_SYNTAX, EXPRESSION_LIMIT, EXPRESSION_UNKNOWN_FUNCTION. */
export function parseExpression(source: string): Expression {
  if (source.length > MAX_CHARS) {
    const span = { start: 0, end: source.length };
    throw expressionLimit({ reason: `it has more than ${MAX_CHARS} characters`, span });
  }
  const reader = new TokenReader(tokenize(source));
  const root = parseOr(reader);
  const rest = reader.peek();
  if (rest.kind !== "end")
    throw expressionSyntax({
      reason: `after a complete condition comes ${shown(rest)}`,
      span: rest.span,
    });
  return { source, root };
}

function parseOr(reader: TokenReader): ExpressionNode {
  return reader.nested(() => {
    let left = parseAnd(reader);
    while (reader.takeSymbol("||")) left = logical("||", left, parseAnd(reader));
    return left;
  });
}

function parseAnd(reader: TokenReader): ExpressionNode {
  let left = parseComparison(reader);
  while (reader.takeSymbol("&&")) left = logical("&&", left, parseComparison(reader));
  return left;
}

function parseComparison(reader: TokenReader): ExpressionNode {
  const left = parseUnary(reader);
  const operator = comparisonOf(reader.peek());
  if (operator === undefined) return left;
  reader.take();
  const right = parseUnary(reader);
  const next = reader.peek();
  if (comparisonOf(next) !== undefined)
    throw expressionSyntax({
      reason: "comparisons do not chain: join two of them with &&",
      span: next.span,
    });
  return { kind: "binary", operator, left, right, span: join(left.span, right.span) };
}

function parseUnary(reader: TokenReader): ExpressionNode {
  const token = reader.peek();
  if (!reader.takeSymbol("!")) return parsePrimary(reader);
  const operand = reader.nested(() => parseUnary(reader));
  return { kind: "not", operand, span: join(token.span, operand.span) };
}

function parsePrimary(reader: TokenReader): ExpressionNode {
  const token = reader.take();
  if (token.kind === "string") return { kind: "literal", value: token.text, span: token.span };
  if (token.kind === "number") return numberLiteral(token);
  if (token.kind === "name") return parseName(reader, token);
  if (isSymbol(token, "(")) {
    const inner = parseOr(reader);
    reader.expectSymbol(")", token);
    return inner;
  }
  if (isSymbol(token, "[")) {
    const { items, end } = parseItems(reader, token, "]");
    return { kind: "list", items, span: join(token.span, end) };
  }
  throw expressionSyntax({
    reason: `a value is missing${token.kind === "end" ? " at the end" : ` before ${shown(token)}`}`,
    span: token.span,
  });
}

function parseName(reader: TokenReader, token: Token): ExpressionNode {
  const keyword = KEYWORDS.get(token.text);
  if (keyword !== undefined) return { kind: "literal", value: keyword, span: token.span };
  if (token.text === "in")
    throw expressionSyntax({ reason: 'a value is missing before "in"', span: token.span });
  if (isSymbol(reader.peek(), "(")) return parseCall(reader, token);
  return parsePath(reader, token);
}

function parseCall(reader: TokenReader, name: Token): ExpressionNode {
  const count = FUNCTION_ARGUMENTS.get(name.text);
  if (count === undefined)
    throw expressionFunction({
      name: name.text,
      known: [...FUNCTION_ARGUMENTS.keys()],
      span: name.span,
    });
  const { items, end } = parseItems(reader, reader.take(), ")");
  const span = join(name.span, end);
  if (items.length !== count)
    throw expressionSyntax({
      reason: `${name.text} takes ${count} value${count === 1 ? "" : "s"}, got ${items.length}`,
      span,
    });
  if (name.text === "exists" && items[0]?.kind !== "path")
    throw expressionSyntax({ reason: "exists takes a path", span });
  return { kind: "call", name: name.text, arguments: items, span };
}

function parseItems(
  reader: TokenReader,
  open: Token,
  close: string,
): { readonly items: readonly ExpressionNode[]; readonly end: Offsets } {
  const items: ExpressionNode[] = [];
  while (!isSymbol(reader.peek(), close)) {
    items.push(parseOr(reader));
    if (!reader.takeSymbol(",")) break;
  }
  return { items, end: reader.expectSymbol(close, open).span };
}

function parsePath(reader: TokenReader, first: Token): PathNode {
  const segments = [first.text];
  let end = first.span;
  while (true) {
    const opener = reader.peek();
    if (reader.takeSymbol(".")) {
      const member = reader.take();
      if (member.kind !== "name")
        throw expressionSyntax({ reason: "a name is missing after the dot", span: member.span });
      segments.push(member.text);
      end = member.span;
    } else if (reader.takeSymbol("[")) {
      const member = reader.take();
      if (member.kind !== "string" && !/^\d+$/.test(member.text))
        throw expressionSyntax({
          reason: 'brackets take a text or a position: ["check-types"], [0]',
          span: member.span,
        });
      segments.push(member.text);
      end = reader.expectSymbol("]", opener).span;
    } else return { kind: "path", segments, span: join(first.span, end) };
  }
}

function numberLiteral(token: Token): ExpressionNode {
  const value = Number(token.text);
  if (!Number.isFinite(value))
    throw expressionSyntax({ reason: `${token.text} is too large a number`, span: token.span });
  return { kind: "literal", value, span: token.span };
}

function logical(
  operator: "&&" | "||",
  left: ExpressionNode,
  right: ExpressionNode,
): ExpressionNode {
  return { kind: "logical", operator, left, right, span: join(left.span, right.span) };
}

function comparisonOf(token: Token): BinaryOperator | undefined {
  return token.kind === "symbol" || token.kind === "name" ? COMPARISONS.get(token.text) : undefined;
}

function isSymbol(token: Token, text: string): boolean {
  return token.kind === "symbol" && token.text === text;
}

function shown(token: Token): string {
  return token.kind === "end" ? "the end" : JSON.stringify(token.text);
}

function join(first: Offsets, last: Offsets): Offsets {
  return { start: first.start, end: last.end };
}

class TokenReader {
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(): Token {
    const token = this.#tokens[this.#index] ?? this.#tokens.at(-1);
    return token ?? { kind: "end", text: "", span: { start: 0, end: 0 } };
  }

  take(): Token {
    const token = this.peek();
    this.#index += 1;
    return token;
  }

  takeSymbol(text: string): boolean {
    const isNext = isSymbol(this.peek(), text);
    if (isNext) this.#index += 1;
    return isNext;
  }

  expectSymbol(text: string, open: Token): Token {
    const token = this.take();
    if (isSymbol(token, text)) return token;
    const reason = `"${open.text}" is closed by "${text}", got ${shown(token)}`;
    throw expressionSyntax({ reason, span: token.span });
  }

  nested<Result>(parse: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw expressionLimit({
        reason: `it has more than ${MAX_DEPTH} levels`,
        span: this.peek().span,
      });
    const result = parse();
    this.#depth -= 1;
    return result;
  }
}

/** Names of the functions with the number of values that each takes. */
const FUNCTION_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ["length", 1],
  ["contains", 2],
  ["startsWith", 2],
  ["endsWith", 2],
  ["matches", 2],
  ["exists", 1],
]);
