// Writes the reference of error codes from their declarations; `troupe explain` prints its sections.
import ts from "typescript";
import { errorCatalog } from "../../src/app/catalogue/error-catalog.ts";
import * as cliErrors from "../../src/cli/command/errors.ts";
import { exitCodeOfCode } from "../../src/cli/command/exit-codes.ts";
import { parseSources } from "./source-file.ts";

const INTRO = `# Errors

This page is generated from the declarations of the errors: \`npm run reference\` writes it, \`troupe explain CODE\` prints a
section of it.

Every error has a code that never changes its name, a message that says what happened to which thing, mostly a hint that
says what to do, and the place in the file where there is one. With \`--json\` it is an object
\`{code, message, file?, line?, column?, hint?, details?}\`. Words in ‹ › stand for what the message names.
`;

interface Texts {
  readonly message: string;
  readonly hint: string;
}

/** The page of all error codes. */
export function errorsPage(): string {
  const texts = declaredTexts();
  const sections = [...errorCatalog(cliErrors).values()].map(({ code, about, retryable }) => {
    const { message = "", hint = "" } = texts.get(code) ?? {};
    const again = retryable ? " Worth trying again: it may pass." : "";
    return [
      `## ${code}`,
      "",
      ...(saysSomething(message) ? [`> ${message}`, ""] : []),
      about,
      "",
      ...(hint === "" ? [] : [`What to do: ${hint}.`, ""]),
      `Exit code ${exitCodeOfCode(code)} when it ends a command.${again}`,
      "",
    ].join("\n");
  });
  return `${[INTRO, ...sections].join("\n")}\n`.replaceAll(/\n{3,}/g, "\n\n");
}

/** Whether words are left when what is put in is taken away. */
function saysSomething(message: string): boolean {
  return /[a-z]{3}/i.test(message.replaceAll(/‹[^›]*›/g, ""));
}

/** The texts of every `defineError`, with ‹names› for what is put in. */
function declaredTexts(): ReadonlyMap<string, Texts> {
  const texts = new Map<string, Texts>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === "defineError") {
      const [code, spec] = node.arguments;
      if (code !== undefined && ts.isStringLiteral(code) && spec !== undefined)
        texts.set(code.text, { message: textOf(spec, "message"), hint: textOf(spec, "hint") });
    }
    ts.forEachChild(node, visit);
  };
  for (const source of parseSources("src/**/*.ts")) visit(source);
  return texts;
}

function textOf(spec: ts.Node, name: "message" | "hint"): string {
  if (!ts.isObjectLiteralExpression(spec)) return "";
  for (const member of spec.properties) {
    if (member.name?.getText() !== name) continue;
    const value = ts.isPropertyAssignment(member) ? member.initializer : member;
    if (ts.isArrowFunction(value)) return render(value.body);
  }
  return "";
}

/** A literal text, or the last branch of a choice; empty for what only running it would tell. */
function render(node: ts.Node): string {
  if (ts.isParenthesizedExpression(node)) return render(node.expression);
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isConditionalExpression(node)) return render(node.whenFalse) || render(node.whenTrue);
  if (ts.isBinaryExpression(node)) return render(node.right) || render(node.left);
  if (!ts.isTemplateExpression(node)) return "";
  const parts = node.templateSpans.map(({ expression, literal }) => {
    const name = nameIn(expression);
    return `${name === "" ? "" : `‹${name}›`}${literal.text}`;
  });
  return `${node.head.text}${parts.join("")}`;
}

/** The word that says what an expression stands for; empty for an ending that may be missing. */
function nameIn(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression))
    return node.name.text;
  if (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node))
    return nameIn(node.expression);
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    if (ts.isPropertyAccessExpression(node.expression)) return nameIn(node.expression.expression);
    return first === undefined ? node.expression.getText() : nameIn(first);
  }
  if (ts.isBinaryExpression(node)) return nameIn(node.left);
  return "";
}
