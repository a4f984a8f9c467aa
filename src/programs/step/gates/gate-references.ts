import {
  afterOptions,
  parseShell,
  programName,
  type ShellCommand,
  type ShellWord,
  unwrapped,
} from "../../language/shell/shell-commands.ts";

/** What a command runs that a step must not change. Paths are relative to where the command starts. */
export type GateReference =
  /** A script; only in one for a shell is looked for what it sources. */
  | { readonly kind: "script"; readonly path: string; readonly isSourced: boolean }
  /** The first of these that is there counts; a new one would count before it. */
  | { readonly kind: "one-of"; readonly paths: readonly string[] }
  /** Entries of `scripts` in a package.json. */
  | { readonly kind: "entries"; readonly directory: string; readonly names: readonly string[] };

const MAX_DEPTH = 10;
const SHELLS = /^(?:ba|da|a|z|k|mk)?sh$/;
const INTERPRETERS =
  /^(?:node|nodejs|tsx|ts-node|deno|bun|python[\d.]*|pypy\d*|ruby|perl|php|lua|Rscript)$/;
const VALUED_OPTIONS = ["-o", "+o", "-O", "--rcfile", "--init-file", "-r", "--require", "--import"];
const INTERPRETER_VALUES = [...VALUED_OPTIONS, "--loader", "-W", "-X", "-I", "-C", "--env-file"];
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const DIRECTORY_OPTION =
  /^(?:-C|-d|--prefix|--dir|--cwd|--directory|--working-directory)(?:=(.*))?$/;
const FILE_OPTION = /^(?:-f|-t|--file|--makefile|--justfile|--taskfile)(?:=(.*))?$/;
const BUILD_FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ["make", ["GNUmakefile", "makefile", "Makefile"]],
  ["gmake", ["GNUmakefile", "makefile", "Makefile"]],
  ["just", ["justfile", "Justfile", ".justfile"]],
  ["task", taskFiles()],
  ["go-task", taskFiles()],
]);

/** What the commands of a text or list run, through wrappers of any number. */
export function gateReferences(
  commands: readonly ShellCommand[],
  start: { readonly directory?: string; readonly depth?: number } = {},
): readonly GateReference[] {
  const { depth = 0 } = start;
  let directory: string | undefined = start.directory ?? "";
  const found: GateReference[] = [];
  for (const command of commands) {
    const words = innermost(command.words);
    const [program, target] = words;
    if (program?.text === "cd") directory = join(directory, literal(target));
    else found.push(...referencesOf({ words, stdin: command.stdin }, { directory, depth }));
  }
  return found;
}

/** What a script for a shell takes in by a literal path. */
export function sourcedPaths(script: string): readonly string[] {
  return parseShell(script).flatMap(({ words }) => {
    const [program, file] = innermost(words);
    const path = isSourcing(program) ? literal(file) : undefined;
    return path === undefined ? [] : [path];
  });
}

interface Place {
  /** Undefined where it cannot be known. */
  readonly directory: string | undefined;
  readonly depth: number;
}

function referencesOf({ words, stdin }: ShellCommand, place: Place): readonly GateReference[] {
  const [program, ...rest] = words;
  if (program === undefined || place.depth > MAX_DEPTH) return [];
  const name = programName(program.text);
  if (isSourcing(program)) return scriptAt(rest[0], place, true);
  if (name === "eval") return inText(rest.map(({ text }) => text).join(" "), place);
  if (SHELLS.test(name)) return ofShell(rest, stdin, place);
  if (PACKAGE_RUNNERS.has(name)) {
    const entries = ofPackage(name, rest, place);
    if (entries.length > 0 || name !== "bun") return entries;
  }
  const buildFiles = BUILD_FILES.get(name);
  if (buildFiles !== undefined) return ofBuild(buildFiles, rest, place);
  if (INTERPRETERS.test(name)) return scriptAt(scriptOf(rest) ?? stdin, place, false);
  return program.text.includes("/") ? scriptAt(program, place, false) : [];
}

function ofShell(
  rest: readonly ShellWord[],
  stdin: ShellWord | undefined,
  place: Place,
): readonly GateReference[] {
  const at = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  const before = afterOptions(rest, { valued: VALUED_OPTIONS, operands: 0 });
  if (at < 0 || before.length > rest.length - at) return scriptAt(before[0] ?? stdin, place, true);
  const script = afterOptions(rest.slice(at + 1), { valued: VALUED_OPTIONS, operands: 0 })[0];
  return script === undefined ? [] : inText(script.text, place);
}

function inText(text: string, { directory, depth }: Place): readonly GateReference[] {
  return gateReferences(parseShell(text), { directory: directory ?? "", depth: depth + 1 });
}

/** The script among the arguments of an interpreter; undefined when its code stands in them, or is a module. */
function scriptOf(rest: readonly ShellWord[]): ShellWord | undefined {
  if (rest.some(({ text }) => /^(?:-[cemp]|--eval|--print)$/.test(text))) return undefined;
  const [first, second] = afterOptions(rest, { valued: INTERPRETER_VALUES, operands: 0 });
  return first?.text === "run" || first?.text === "test" ? second : first;
}

function scriptAt(
  word: ShellWord | undefined,
  { directory }: Place,
  isSourced: boolean,
): readonly GateReference[] {
  const path = join(directory, literal(word));
  return path === undefined ? [] : [{ kind: "script", path, isSourced }];
}

function ofPackage(
  name: string,
  rest: readonly ShellWord[],
  place: Place,
): readonly GateReference[] {
  const { directory, words } = withDirectory(rest, place);
  const named = words.filter(({ text }) => !text.startsWith("-")).map(({ text }) => text);
  const [verb = "", script] = named;
  const isRun = verb === "run" || verb === "run-script";
  const entry = isRun ? script : ownEntry(name, verb);
  if (entry === undefined || directory === undefined) return [];
  const names = [`pre${entry}`, entry, `post${entry}`];
  return [{ kind: "entries", directory, names }];
}

// npm has a command for each of these, bun runs its own tests, the others take the name of any entry.
function ownEntry(runner: string, verb: string): string | undefined {
  if (runner === "bun" || verb === "") return undefined;
  if (["test", "t", "tst"].includes(verb)) return "test";
  return runner !== "npm" || ["start", "stop", "restart"].includes(verb) ? verb : undefined;
}

function ofBuild(
  candidates: readonly string[],
  rest: readonly ShellWord[],
  place: Place,
): readonly GateReference[] {
  const { directory, words } = withDirectory(rest, place);
  const at = words.findIndex(({ text }) => FILE_OPTION.test(text));
  const inOption = FILE_OPTION.exec(words[at]?.text ?? "")?.[1];
  const given = at < 0 ? undefined : (inOption ?? literal(words[at + 1]));
  const paths = given === undefined ? candidates : [given];
  const found = paths.map((path) => join(directory, path)).filter((path) => path !== undefined);
  return [{ kind: "one-of", paths: found }];
}

/** Where a program is told to work, and its other arguments. */
function withDirectory(
  rest: readonly ShellWord[],
  { directory }: Place,
): { readonly directory: string | undefined; readonly words: readonly ShellWord[] } {
  const at = rest.findIndex(({ text }) => DIRECTORY_OPTION.test(text));
  if (at < 0) return { directory, words: rest };
  const inOption = DIRECTORY_OPTION.exec(rest[at]?.text ?? "")?.[1];
  const words = [...rest.slice(0, at), ...rest.slice(inOption === undefined ? at + 2 : at + 1)];
  return { directory: join(directory, inOption ?? literal(rest[at + 1])), words };
}

function innermost(words: readonly ShellWord[]): readonly ShellWord[] {
  const inner = unwrapped(words);
  return inner === undefined ? words : innermost(inner);
}

function isSourcing(program: ShellWord | undefined): boolean {
  return program?.text === "." || program?.text === "source";
}

function literal(word: ShellWord | undefined): string | undefined {
  return word?.isLiteral === true && word.text !== "" ? word.text : undefined;
}

function join(directory: string | undefined, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (path.startsWith("/")) return path;
  if (directory === undefined) return undefined;
  return directory === "" ? path : `${directory}/${path}`;
}

function taskFiles(): readonly string[] {
  const names = ["Taskfile", "taskfile", "Taskfile.dist", "taskfile.dist"];
  return names.flatMap((name) => [`${name}.yml`, `${name}.yaml`]);
}
