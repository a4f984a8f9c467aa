import { fromErrorReport, type TroupeError, toErrorReport } from "../../../foundation/errors.ts";
import type { Offsets } from "../errors.ts";
import { compileRegex } from "../regex.ts";
import { type Expression, expressionNodes } from "./syntax.ts";

/** A fault that is known before anything is evaluated. */
export interface ExpressionFault {
  readonly error: TroupeError;
  readonly span: Offsets;
}

/** Faults of all regular expressions that are written out in an expression. */
export function expressionFaults(expression: Expression): readonly ExpressionFault[] {
  return expressionNodes(expression).flatMap((node) => {
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
