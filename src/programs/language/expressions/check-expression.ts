import type { TroupeError } from "../../../foundation/errors.ts";
import { fromErrorReport, toErrorReport } from "../../../foundation/errors.ts";
import type { Span } from "../errors.ts";
import { compileRegex } from "../regex.ts";
import type { Expression, ExpressionNode, PathNode } from "./syntax.ts";

/** A fault that is known before anything is evaluated. */
export interface ExpressionFault {
  readonly error: TroupeError;
  readonly span: Span;
}

/** Every path that an expression mentions, in order. */
export function expressionPaths(expression: Expression): readonly PathNode[] {
  return nodesOf(expression.root).filter((node) => node.kind === "path");
}

/** Faults of all regular expressions that are written out in an expression. */
export function expressionFaults(expression: Expression): readonly ExpressionFault[] {
  return nodesOf(expression.root).flatMap((node) => {
    if (node.kind !== "call" || node.name !== "matches") return [];
    const pattern = node.arguments[1];
    if (pattern?.kind !== "literal" || typeof pattern.value !== "string") return [];
    try {
      compileRegex(pattern.value);
      return [];
    } catch (error) {
      return [{ error: fromErrorReport(toErrorReport(error)), span: pattern.span }];
    }
  });
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
