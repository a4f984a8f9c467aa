import { parseExpression } from "../language/expressions/parse-expression.ts";
import type { Expression } from "../language/expressions/syntax.ts";
import { parsePromptTemplate } from "../language/templates/parse-prompt.ts";
import type { PromptTemplate } from "../language/templates/prompt-template.ts";

/** The expressions and templates of one workflow, each parsed once. */
export class StepTexts {
  readonly #expressions = new Map<string, Expression>();
  readonly #templates = new Map<string, PromptTemplate>();

  /** Raises EXPRESSION_SYNTAX, EXPRESSION_LIMIT, EXPRESSION_UNKNOWN_FUNCTION. */
  expression(text: string): Expression {
    const known = this.#expressions.get(text) ?? parseExpression(text);
    this.#expressions.set(text, known);
    return known;
  }

  /** Raises WORKFLOW_TEMPLATE_SYNTAX. */
  template(text: string): PromptTemplate {
    const known = this.#templates.get(text) ?? parsePromptTemplate(text);
    this.#templates.set(text, known);
    return known;
  }
}
