import type { Offsets } from "../errors.ts";

/** A value that expressions can write down. */
export type Literal = string | number | boolean | null;

/** Operators with two sides; `===` and `!==` are read as `==` and `!=`, which convert nothing. */
export type BinaryOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in";

/** A path of names and list positions: `steps["check-types"].status` is three segments. */
export interface PathNode {
  readonly kind: "path";
  readonly segments: readonly string[];
  readonly span: Offsets;
}

/** One node of a parsed expression. */
export type ExpressionNode =
  | { readonly kind: "literal"; readonly value: Literal; readonly span: Offsets }
  | { readonly kind: "list"; readonly items: readonly ExpressionNode[]; readonly span: Offsets }
  | PathNode
  | { readonly kind: "not"; readonly operand: ExpressionNode; readonly span: Offsets }
  | {
      readonly kind: "logical";
      readonly operator: "&&" | "||";
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
      readonly span: Offsets;
    }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
      readonly span: Offsets;
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly arguments: readonly ExpressionNode[];
      readonly span: Offsets;
    };

/** A parsed expression with its text. */
export interface Expression {
  readonly source: string;
  readonly root: ExpressionNode;
}

/** How a path is written: names joined by dots, others in brackets. */
export function pathText(segments: readonly string[]): string {
  return segments
    .map((segment, index) => {
      if (/^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(segment))
        return index === 0 ? segment : `.${segment}`;
      return `[${JSON.stringify(segment)}]`;
    })
    .join("");
}

/** Every node of an expression, each before what it is made of. */
export function expressionNodes(expression: Expression): readonly ExpressionNode[] {
  return nodesOf(expression.root);
}

/** Every path that an expression mentions, in order. */
export function expressionPaths(expression: Expression): readonly PathNode[] {
  return expressionNodes(expression).filter((node) => node.kind === "path");
}

function nodesOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.kind) {
    case "literal":
    case "path":
      return [node];
    case "list":
      return [node, ...node.items.flatMap(nodesOf)];
    case "not":
      return [node, ...nodesOf(node.operand)];
    case "logical":
    case "binary":
      return [node, ...nodesOf(node.left), ...nodesOf(node.right)];
    case "call":
      return [node, ...node.arguments.flatMap(nodesOf)];
  }
}
