// What Troupe's own sources say to people.
import ts from "typescript";
import { parseSources } from "../../scripts/reference/source-file.ts";

/** A text of the sources; what is filled in stands as `${…}`. */
export interface ToldText {
  readonly place: string;
  readonly text: string;
  /** Whether it tells what to do. */
  readonly isHint: boolean;
}

/** What stands in a text for what is filled in. */
export const FILLED = "${…}";

/** Every text of the sources, in the order of the files. */
export function toldTexts(): readonly ToldText[] {
  return parseSources("src/**/*.ts").flatMap((source) => textsOf(source));
}

function textsOf(source: ts.SourceFile): readonly ToldText[] {
  const told: ToldText[] = [];
  const visit = (node: ts.Node, isHint: boolean): void => {
    const text = textOf(node);
    if (text !== undefined) told.push({ place: placeOf(source, node), text, isHint });
    const isBelowHint = isHint || namesHint(node);
    ts.forEachChild(node, (child) => visit(child, isBelowHint));
  };
  visit(source, false);
  return told;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  const parts = node.templateSpans.map(({ expression, literal }) => {
    const isCommand = ts.isIdentifier(expression) && expression.text === "TROUPE";
    return `${isCommand ? "troupe" : FILLED}${literal.text}`;
  });
  return node.head.text + parts.join("");
}

/** `hint: …`, `hint = …`, a function that makes one. */
function namesHint(node: ts.Node): boolean {
  if (
    !ts.isPropertyAssignment(node) &&
    !ts.isVariableDeclaration(node) &&
    !ts.isFunctionDeclaration(node) &&
    !ts.isMethodDeclaration(node)
  )
    return false;
  return node.name !== undefined && ts.isIdentifier(node.name) && /hint/i.test(node.name.text);
}

function placeOf(source: ts.SourceFile, node: ts.Node): string {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return `${source.fileName}:${line + 1}`;
}
