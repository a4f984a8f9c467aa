// Measures how src is cut, and fails above the numbers that stand here, which fall; only a feature may raise files, lines and modules, by what it is. --list knots, homonyms, crumbs, modules or chain names them.

import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import ts from "typescript";

const CEILINGS = {
  files: 1784,
  lines: 175_763,
  "longest import chain": 48,
  "modules of a run": 633,
  /** Folders each of which imports another one that imports it, maybe through others. */
  "folders in knots": 0,
  /** Names that two files export. */
  homonyms: 0,
  /** Files of less than 60 lines that one other file imports, and that no registry names. */
  crumbs: 51,
  /** Spreads of a member that may be undefined, in place of `present` or of a member that may be so. */
  "optional spreads": 273,
};

/** A file of src: what it exports under a name of its own, and which files it imports. */
interface SourceFile {
  readonly path: string;
  readonly lineCount: number;
  readonly imports: readonly string[];
  readonly exports: readonly string[];
  readonly optionalSpreads: number;
}

const root = join(import.meta.dirname, "..");
// Folders whose files a registry names one by one: each has one importer by design.
const PLUG_INS =
  /^src\/(agents\/backends|cli\/(actions|commands)|programs\/(patterns|steps)|tools|workflows\/importers)\//;
const CRUMB_LINES = 60;
const OPTIONAL_SPREAD = /\.\.\.\([^()]* === undefined\s*\? \{\}\s*:/g;

const files = new Map(
  globSync("src/**/*.{ts,tsx}", { cwd: root }).map((path) => [path, readSource(path)]),
);
const importers = new Map<string, Set<string>>();
for (const { path, imports } of files.values())
  for (const target of imports)
    importers.set(target, (importers.get(target) ?? new Set()).add(path));

const knots = knotsOf(folderGraph());
const homonyms = findHomonyms();
const crumbs = [...files.values()].filter(isCrumb);
const chain = longestChain();
const loaded = modulesOfRun();
const measured: Readonly<Record<keyof typeof CEILINGS, number>> = {
  files: files.size,
  lines: [...files.values()].reduce((sum, { lineCount }) => sum + lineCount, 0),
  "longest import chain": chain.length,
  "modules of a run": loaded.length,
  "folders in knots": knots.flat().length,
  homonyms: homonyms.length,
  crumbs: crumbs.length,
  "optional spreads": [...files.values()].reduce((sum, each) => sum + each.optionalSpreads, 0),
};

const { values } = parseArgs({
  options: { list: { type: "string" }, check: { type: "boolean", default: false } },
});
const lists: { readonly [name: string]: () => readonly string[] } = {
  knots: () => knots.map((knot) => knot.join(" ")),
  homonyms: () => homonyms,
  crumbs: () => crumbs.map(({ path }) => `${path} <- ${[...(importers.get(path) ?? [])].join()}`),
  modules: () => loaded,
  chain: () => chain,
};
if (values.list === undefined) judge();
else printList(values.list);

function printList(name: string): void {
  const list = lists[name];
  if (list === undefined) {
    process.exitCode = 2;
    process.stderr.write(`--list takes ${Object.keys(lists).join(", ")}, got ${name}\n`);
  } else process.stdout.write(`${list().join("\n")}\n`);
}

/** Prints what is measured, with --check only what is above its number, and fails if anything is. */
function judge(): void {
  for (const [name, ceiling] of Object.entries(CEILINGS)) {
    const found = new Map(Object.entries(measured)).get(name) ?? Infinity;
    if (found > ceiling) process.exitCode = 1;
    if (values.check && found <= ceiling) continue;
    process.stdout.write(`${name.padEnd(22)}${String(found).padStart(7)}  at most ${ceiling}\n`);
  }
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const imports = importedFiles.flatMap(({ fileName }) =>
    fileName.startsWith(".") ? [relative(root, resolve(root, dirname(path), fileName))] : [],
  );
  return {
    path,
    lineCount: text.split("\n").length - 1,
    imports: [...new Set(imports)],
    exports: tree.statements.flatMap(exportedNames),
    optionalSpreads: text.match(OPTIONAL_SPREAD)?.length ?? 0,
  };
}

/** Names that a statement declares and exports. */
function exportedNames(statement: ts.Statement): readonly string[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (isExported !== true) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

function findHomonyms(): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const { path, exports } of files.values())
    for (const name of exports) places.set(name, (places.get(name) ?? new Set()).add(path));
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(", ")}`)
    .toSorted();
}

function isCrumb({ path, lineCount }: SourceFile): boolean {
  return importers.get(path)?.size === 1 && lineCount < CRUMB_LINES && !PLUG_INS.test(path);
}

function folderGraph(): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files.values()) {
    const targets = graph.get(dirname(path)) ?? new Set();
    for (const target of imports)
      if (dirname(target) !== dirname(path)) targets.add(dirname(target));
    graph.set(dirname(path), targets);
  }
  return graph;
}

/** Groups of folders each of which reaches every other one of its group. */
function knotsOf(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const reach = new Map([...graph.keys()].map((from) => [from, reachable(graph, from)]));
  const seen = new Set<string>();
  const found: string[][] = [];
  for (const [from, all] of reach) {
    if (seen.has(from) || !all.has(from)) continue;
    const knot = [...all].filter((each) => reach.get(each)?.has(from) === true);
    for (const each of knot) seen.add(each);
    found.push(knot.toSorted());
  }
  return found;
}

function reachable(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
): ReadonlySet<string> {
  const all = new Set<string>();
  const rest = [...(graph.get(from) ?? [])];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (all.has(next)) continue;
    all.add(next);
    rest.push(...(graph.get(next) ?? []));
  }
  return all;
}

function longestChain(): readonly string[] {
  const chains = new Map<string, readonly string[]>();
  const chainFrom = (path: string): readonly string[] => {
    const known = chains.get(path);
    if (known !== undefined) return known;
    chains.set(path, []);
    const chain = [path, ...longest((files.get(path)?.imports ?? []).map(chainFrom))];
    chains.set(path, chain);
    return chain;
  };
  return longest([...files.keys()].map(chainFrom));
}

function longest(chains: readonly (readonly string[])[]): readonly string[] {
  return chains.reduce((best, each) => (each.length > best.length ? each : best), []);
}

/** Modules of src that `troupe run` loads for two steps whose agents are `cat`, in the order in which it does. */
function modulesOfRun(): readonly string[] {
  const project = mkdtempSync(join(tmpdir(), "troupe-house-"));
  try {
    const counter = join(project, "counter.mjs");
    writeFileSync(
      counter,
      `import { registerHooks } from "node:module";
import { appendFileSync } from "node:fs";
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(join(project, "loaded"))}, url + "\\n"); return next(url, context); } });
`,
    );
    writeFileSync(
      join(project, "two.yaml"),
      "name: two\npattern: pipeline\nagents: [{ id: cat, backend: command, command: [cat] }]\nsteps: [{ id: one, agent: cat }, { id: two, agent: cat }]\n",
    );
    const args = ["--import", counter, join(root, "src/main.ts"), "run", "two.yaml", "x"];
    execFileSync(process.execPath, args, {
      cwd: project,
      // Nothing of the person who runs this, and nothing for her.
      env: { PATH: process.env["PATH"], HOME: project },
      stdio: "ignore",
    });
    const loaded = readFileSync(join(project, "loaded"), "utf8").split("\n");
    const own = pathToFileURL(join(root, "src/")).href;
    const modules = loaded.filter((url) => url.startsWith(own));
    return [...new Set(modules)].map((url) => `src/${url.slice(own.length)}`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
