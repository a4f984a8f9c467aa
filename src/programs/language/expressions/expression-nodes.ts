import type { Expression, ExpressionNode, PathNode } from "./syntax.ts";

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
