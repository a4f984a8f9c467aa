// Finds out which tests assert something: themselves, or in a function that they call, wherever that is written.
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** A file of tests or of what they use: its functions by name, and where its other names come from. */
interface TestFile {
  readonly functions: ReadonlyMap<string, ts.Node>;
  /** By name: the file that it is imported from, absolute, and its name there. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  /** The cases of the file: the title of each as it is written, and what is run. */
  readonly cases: readonly { readonly title: string; readonly body: ts.Node }[];
}

/** Of the test runner, of fast-check or of one's own; the last three wait for what has to happen, and fail without it. */
const ASSERTING = /^(?:expect|assert)(?![a-z])|^(?:eventually|seen)$|^waitFor/;

const files = new Map<string, TestFile>();
const verdicts = new Map<ts.Node, boolean>();

/** The titles of a file whose tests assert something. `path`: absolute. */
export function assertingTitles(path: string): ReadonlySet<string> {
  const file = read(path);
  return new Set(file.cases.flatMap(({ title, body }) => (asserts(body, file) ? [title] : [])));
}

function asserts(node: ts.Node, file: TestFile): boolean {
  const known = verdicts.get(node);
  if (known !== undefined) return known;
  // Whoever calls itself asserts if something else in it does.
  verdicts.set(node, false);
  const found = isAsserting(node, file) || someChild(node, (child) => asserts(child, file));
  verdicts.set(node, found);
  return found;
}

function isAsserting(node: ts.Node, file: TestFile): boolean {
  // A function that is handed on is called by whoever gets it.
  if (ts.isIdentifier(node)) return namesAsserting(node.text, file);
  return ts.isPropertyAccessExpression(node) && ASSERTING.test(node.name.text);
}

function namesAsserting(name: string, file: TestFile): boolean {
  if (ASSERTING.test(name)) return true;
  const own = file.functions.get(name);
  if (own !== undefined) return asserts(own, file);
  const from = file.imports.get(name);
  if (from === undefined) return false;
  const other = read(from.file);
  const exported = other.functions.get(from.name);
  return exported !== undefined && asserts(exported, other);
}

function read(path: string): TestFile {
  const known = files.get(path);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const file: TestFile = {
    functions: functionsOf(tree),
    imports: importsOf(tree),
    cases: casesIn(tree),
  };
  files.set(path, file);
  return file;
}

function functionsOf(tree: ts.SourceFile): TestFile["functions"] {
  const found = new Map<string, ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined && node.body !== undefined)
      found.set(node.name.text, node.body);
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      found.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function importsOf(tree: ts.SourceFile): TestFile["imports"] {
  const found = new Map<string, { readonly file: string; readonly name: string }>();
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const { moduleSpecifier, importClause } = statement;
    const bindings = importClause?.namedBindings;
    if (!ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith(".")) continue;
    const file = resolve(dirname(tree.fileName), moduleSpecifier.text);
    if (bindings === undefined || !ts.isNamedImports(bindings) || !isHelper(file)) continue;
    for (const { name, propertyName } of bindings.elements)
      found.set(name.text, { file, name: (propertyName ?? name).text });
  }
  return found;
}

/** What the product itself throws asserts nothing about it. */
function isHelper(file: string): boolean {
  return existsSync(file) && /\/(?:test|src\/testing)\//.test(file);
}

/** Calls of `test` and `it` in any of their forms, and entries with a `name` and what is run. */
function casesIn(tree: ts.SourceFile): TestFile["cases"] {
  const found: { readonly title: string; readonly body: ts.Node }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        found.push({ title: title.getText().slice(1, -1), body: node });
    }
    if (ts.isObjectLiteralExpression(node)) {
      const name = node.properties.find(
        (each) => ts.isPropertyAssignment(each) && each.name.getText() === "name",
      );
      if (name !== undefined && ts.isPropertyAssignment(name)) {
        const { initializer } = name;
        if (ts.isStringLiteralLike(initializer))
          found.push({ title: initializer.getText().slice(1, -1), body: node });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function someChild(node: ts.Node, test: (child: ts.Node) => boolean): boolean {
  return ts.forEachChild(node, (child) => test(child) || undefined) === true;
}
