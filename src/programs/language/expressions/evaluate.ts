import type { Json } from "../../../foundation/json.ts";
import { hintNames } from "../../../foundation/near-names.ts";
import { expressionType, expressionUnknownPath } from "../errors.ts";
import { memberNames, valueAt } from "../member-of.ts";
import { valueKind } from "../value-kind.ts";
import { Fuel } from "./fuel.ts";
import { areEqual, callFunction, compare, isMember } from "./functions.ts";
import { type Expression, type ExpressionNode, type PathNode, pathText } from "./syntax.ts";

/**
 * The value of an expression over a scope. Only own properties are seen.
 * Raises EXPRESSION_UNKNOWN_PATH, EXPRESSION_TYPE, EXPRESSION_LIMIT, EXPRESSION_REGEX, EXPRESSION_REGEX_TEXT_TOO_LARGE.
 */
export function evaluateExpression(
  expression: Expression,
  scope: ExpressionScope | PathResolver,
): Json {
  const evaluation = { resolver: toPathResolver(scope), fuel: new Fuel(expression.source) };
  return evaluate(expression.root, evaluation);
}

/** Whether a condition holds: anything but false, null, 0 and the empty text does. Raises like evaluateExpression. */
export function evaluateCondition(
  expression: Expression,
  scope: ExpressionScope | PathResolver,
): boolean {
  return isTruthy(evaluateExpression(expression, scope));
}

interface Evaluation {
  readonly resolver: PathResolver;
  readonly fuel: Fuel;
}

function evaluate(node: ExpressionNode, evaluation: Evaluation): Json {
  evaluation.fuel.spend(1);
  switch (node.kind) {
    case "literal":
      return node.value;
    case "list":
      return node.items.map((item) => evaluate(item, evaluation));
    case "path":
      return resolvePath(node, evaluation.resolver);
    case "not":
      return !isTruthy(evaluate(node.operand, evaluation));
    case "logical":
      return evaluateLogical(node, evaluation);
    case "binary":
      return evaluateBinary(node, evaluation);
    case "call":
      return evaluateCall(node, evaluation);
  }
}

function evaluateLogical(
  node: Extract<ExpressionNode, { kind: "logical" }>,
  evaluation: Evaluation,
): Json {
  const left = evaluate(node.left, evaluation);
  const isDecided = node.operator === "&&" ? !isTruthy(left) : isTruthy(left);
  return isDecided ? left : evaluate(node.right, evaluation);
}

function evaluateBinary(
  node: Extract<ExpressionNode, { kind: "binary" }>,
  evaluation: Evaluation,
): Json {
  const { operator, span } = node;
  const { fuel } = evaluation;
  const left = evaluate(node.left, evaluation);
  const right = evaluate(node.right, evaluation);
  if (operator === "==") return areEqual(left, right, fuel);
  if (operator === "!=") return !areEqual(left, right, fuel);
  const found = `${valueKind(left)} and ${valueKind(right)}`;
  if (operator === "in") {
    const expected = "a list, or a name and an object (texts are searched with contains)";
    const isIn = isMember(left, right, fuel);
    if (isIn === undefined) throw expressionType({ operation: operator, expected, found, span });
    return isIn;
  }
  const order = compare(left, right, fuel);
  const expected = "two numbers or two texts";
  if (order === undefined) throw expressionType({ operation: operator, expected, found, span });
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

function evaluateCall(
  node: Extract<ExpressionNode, { kind: "call" }>,
  evaluation: Evaluation,
): Json {
  const [first, second] = node.arguments;
  if (node.name === "exists") return first?.kind === "path" && exists(first, evaluation.resolver);
  const left = first === undefined ? null : evaluate(first, evaluation);
  const right = second === undefined ? null : evaluate(second, evaluation);
  const result = callFunction(node.name, [left, right], evaluation.fuel);
  if (result.status === "ok") return result.value;
  const found =
    second === undefined ? valueKind(left) : `${valueKind(left)} and ${valueKind(right)}`;
  throw expressionType({
    operation: node.name,
    expected: result.expected,
    found,
    span: node.span,
  });
}

function resolvePath({ segments, span }: PathNode, resolver: PathResolver): Json {
  const value = resolver.resolve(segments);
  if (value !== undefined) return value;
  const known = segments.findIndex(
    (_, index) => resolver.resolve(segments.slice(0, index + 1)) === undefined,
  );
  const missing = segments[known] ?? "";
  throw expressionUnknownPath({
    path: pathText(segments),
    missing,
    known: hintNames(missing, resolver.keysAt(segments.slice(0, known))),
    span,
  });
}

function exists({ segments }: PathNode, resolver: PathResolver): boolean {
  return (resolver.resolve(segments) ?? null) !== null;
}

function isTruthy(value: Json): boolean {
  return Boolean(value);
}

/** The values that paths start from: `{ steps: { plan: { status: "completed" } }, params: {} }`. */
type ExpressionScope = { readonly [name: string]: Json };

/** Finds the values of paths where a whole scope would be too dear to build. Pure. */
export interface PathResolver {
  /** The value at a path of one segment or more; undefined when it leads nowhere. */
  resolve(segments: readonly string[]): Json | undefined;
  /** Names that can follow a path, the empty one too, for hints. Called for errors only. */
  keysAt(segments: readonly string[]): readonly string[];
}

/** Resolves paths in either; in a scope by own properties only. */
export function toPathResolver(scope: ExpressionScope | PathResolver): PathResolver {
  if (isPathResolver(scope)) return scope;
  return {
    resolve: (segments) => valueAt(scope, segments),
    keysAt: (segments) => memberNames(valueAt(scope, segments)),
  };
}

function isPathResolver(scope: ExpressionScope | PathResolver): scope is PathResolver {
  return typeof scope["resolve"] === "function";
}
