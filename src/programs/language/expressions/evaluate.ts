import type { Json } from "../../../foundation/json.ts";
import { canonicalJson, isJsonArray } from "../../../foundation/json.ts";
import { expressionLimit, expressionType, expressionUnknownPath } from "../errors.ts";
import { callFunction } from "./functions.ts";
import type { Expression, ExpressionNode, PathNode } from "./syntax.ts";
import { pathText } from "./syntax.ts";

/** The values that paths start from: `{ steps: { plan: { status: "completed" } }, params: {} }`. */
export type ExpressionScope = { readonly [name: string]: Json };

const FUEL = 100_000;
// One unit of fuel pays for this many characters that a function or comparison reads.
const CHARS_PER_FUEL = 64;

/**
 * The value of an expression over a scope. Only own properties are seen.
 * Raises EXPRESSION_UNKNOWN_PATH, EXPRESSION_TYPE, EXPRESSION_LIMIT, EXPRESSION_REGEX, EXPRESSION_REGEX_TEXT_TOO_LARGE.
 */
export function evaluateExpression(expression: Expression, scope: ExpressionScope): Json {
  return evaluate(expression.root, { scope, fuel: FUEL });
}

/** Whether a condition holds: anything but false, null, 0 and the empty text does. Raises like evaluateExpression. */
export function evaluateCondition(expression: Expression, scope: ExpressionScope): boolean {
  return isTruthy(evaluateExpression(expression, scope));
}

interface Evaluation {
  readonly scope: ExpressionScope;
  fuel: number;
}

function evaluate(node: ExpressionNode, evaluation: Evaluation): Json {
  burn(evaluation, node, 1);
  switch (node.kind) {
    case "literal":
      return node.value;
    case "list":
      return node.items.map((item) => evaluate(item, evaluation));
    case "path":
      return resolvePath(node, evaluation.scope);
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
  const left = evaluate(node.left, evaluation);
  const right = evaluate(node.right, evaluation);
  burn(evaluation, node, (sizeOf(left) + sizeOf(right)) / CHARS_PER_FUEL);
  if (node.operator === "==") return areEqual(left, right);
  if (node.operator === "!=") return !areEqual(left, right);
  if (node.operator === "in") return isMember(left, right, node);
  const order = compare(left, right);
  if (order === undefined)
    throw expressionType({
      operation: node.operator,
      expected: "two numbers or two texts",
      found: `${kindOf(left)} and ${kindOf(right)}`,
      span: node.span,
    });
  if (node.operator === "<") return order < 0;
  if (node.operator === "<=") return order <= 0;
  return node.operator === ">" ? order > 0 : order >= 0;
}

function evaluateCall(
  node: Extract<ExpressionNode, { kind: "call" }>,
  evaluation: Evaluation,
): Json {
  const [first, second] = node.arguments;
  if (node.name === "exists") return first?.kind === "path" && exists(first, evaluation.scope);
  const left = first === undefined ? null : evaluate(first, evaluation);
  const right = second === undefined ? null : evaluate(second, evaluation);
  burn(evaluation, node, (sizeOf(left) + sizeOf(right)) / CHARS_PER_FUEL);
  const result = callFunction(node.name, left, right);
  if (result.status === "ok") return result.value;
  const found = second === undefined ? kindOf(left) : `${kindOf(left)} and ${kindOf(right)}`;
  throw expressionType({
    operation: node.name,
    expected: result.expected,
    found,
    span: node.span,
  });
}

function resolvePath(node: PathNode, scope: ExpressionScope): Json {
  let value: Json = scope;
  for (const segment of node.segments) {
    const member = memberOf(value, segment);
    if (member === undefined)
      throw expressionUnknownPath({
        path: pathText(node.segments),
        missing: segment,
        known: keysOf(value),
        span: node.span,
      });
    value = member;
  }
  return value;
}

function exists(node: PathNode, scope: ExpressionScope): boolean {
  let value: Json | undefined = scope;
  for (const segment of node.segments) {
    value = memberOf(value, segment);
    if (value === undefined) return false;
  }
  return value !== null;
}

function memberOf(value: Json, segment: string): Json | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (isJsonArray(value)) return /^\d{1,9}$/.test(segment) ? value[Number(segment)] : undefined;
  return Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function keysOf(value: Json): readonly string[] {
  return value === null || typeof value !== "object" || isJsonArray(value)
    ? []
    : Object.keys(value);
}

function isMember(
  item: Json,
  container: Json,
  node: Extract<ExpressionNode, { kind: "binary" }>,
): boolean {
  if (container !== null && typeof container === "object") {
    if (isJsonArray(container)) return container.some((member) => areEqual(item, member));
    if (typeof item === "string") return Object.hasOwn(container, item);
  }
  throw expressionType({
    operation: "in",
    expected: "a list, or a name and an object (texts are searched with contains)",
    found: `${kindOf(item)} and ${kindOf(container)}`,
    span: node.span,
  });
}

function areEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  if (typeof left !== "object" || typeof right !== "object") return false;
  return canonicalJson(left) === canonicalJson(right);
}

function compare(left: Json, right: Json): number | undefined {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function isTruthy(value: Json): boolean {
  return Boolean(value);
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "string") return "a text";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return String(value);
  return isJsonArray(value) ? "a list" : "an object";
}

function sizeOf(value: Json): number {
  if (typeof value === "string") return value.length;
  return value !== null && typeof value === "object" ? canonicalJson(value).length : 1;
}

function burn(evaluation: Evaluation, node: ExpressionNode, fuel: number): void {
  evaluation.fuel -= Math.ceil(fuel);
  if (evaluation.fuel < 0)
    throw expressionLimit({ reason: "its evaluation takes too many steps", span: node.span });
}
