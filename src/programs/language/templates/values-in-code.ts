import {
  afterOptions,
  parseShell,
  programName,
  type ShellWord,
  toCommand,
} from "../shell/shell-commands.ts";
import { advanceShell, initialShellState, type ShellState } from "../shell/shell-position.ts";
import type { TemplatePart, TemplateVariable } from "./template.ts";
import { marksThatFlow } from "./values-in-shell-flow.ts";

// No value of a template is read by the shell that runs a command: it arrives in the environment. What that shell hands
// on to another one as code, or to any other interpreter, would be read by that: there no value may stand.

/** A variable at a place where its value would be read as code, and what that place is. */
export interface ValueInCode {
  readonly variable: TemplateVariable;
  /** The program that reads the code; undefined for quotes within quotes and for a here-document. */
  readonly program: string | undefined;
  readonly place: "code" | "quotes" | "here-document";
}

const TASK = "{task}";
const NOWHERE = { start: 0, end: 0 };
const MARK = /\uE000(\d+)\uE001/g;
const HERE_DOCUMENT = /<<(-?)[ \t]*(["']?)\\?([A-Za-z_]\w*)\2/g;
// More is no command of anybody's, and is not looked for.
const MAX_TEXTS = 50;
const MAX_INNER_CHARS = 16_384;
const MAX_DOCUMENTS = 20;
const QUOTES: ReadonlyMap<string | undefined, string> = new Map([
  ["single", "'"],
  ["double", '"'],
]);

/** The variables of a text for a shell whose values other code would hold. */
export function valuesInShellCode(parts: readonly TemplatePart[]): readonly ValueInCode[] {
  const { text, variables } = marked(parts);
  const places: Found[] = [];
  // Those within others are among them.
  const texts = variables.length === 0 ? [] : [text, ...substitutions(text)];
  for (const each of texts) {
    const one = withoutDocuments(each);
    for (const body of one.documents)
      for (const mark of marksIn(body)) places.push([mark, "here-document"]);
    places.push(...findInCommands(one.text));
  }
  return found(places, variables);
}

/** Parts in which `{task}`, which stands for the task in lists of arguments of agents, is a variable as well. */
export function withTaskVariable(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  return parts.flatMap((part): readonly TemplatePart[] => {
    if (part.kind !== "text") return [part];
    return part.text
      .split(TASK)
      .flatMap((text, index): readonly TemplatePart[] => [
        ...(index === 0
          ? []
          : [{ kind: "variable", name: "task", segments: ["task"], span: NOWHERE } as const]),
        { kind: "text", text },
      ]);
  });
}

/** Those of a list of arguments. An argument that is nothing but a variable says what it means. */
export function valuesInArgvCode(
  argv: readonly (readonly TemplatePart[])[],
): readonly ValueInCode[] {
  const variables: TemplateVariable[] = [];
  const words = argv.map((parts) => marked(parts, variables).text);
  const places = codeWords(toCommand(words).words)
    .filter(({ word }) => !/^\uE000\d+\uE001$/.test(word.text))
    .flatMap(({ word, program }) =>
      marksIn(word.text).map((mark): Found => [mark, "code", program]),
    );
  return found(places, variables);
}

type Found = readonly [mark: number, place: ValueInCode["place"], program?: string];

function found(
  places: readonly Found[],
  variables: readonly TemplateVariable[],
): readonly ValueInCode[] {
  const first = new Map<number, ValueInCode>();
  for (const [mark, place, program] of places) {
    const variable = variables[mark];
    if (variable !== undefined && !first.has(mark)) first.set(mark, { variable, place, program });
  }
  return [...first.values()];
}

/** The text with a mark in place of each variable. */
function marked(parts: readonly TemplatePart[], variables: TemplateVariable[] = []) {
  const text = parts.map((part) => {
    if (part.kind === "text") return part.text.replace(/[\uE000\uE001]/g, "?");
    variables.push(part);
    return `\uE000${variables.length - 1}\uE001`;
  });
  return { text: text.join(""), variables };
}

function marksIn(text: string): readonly number[] {
  return [...text.matchAll(MARK)].map(([, mark]) => Number(mark));
}

function findInCommands(text: string): readonly Found[] {
  const commands = parseShell(text);
  const inCode = commands.flatMap(({ words }) =>
    codeWords(words).flatMap(({ word, program }) =>
      marksIn(word.text).map((mark): Found => [mark, "code", program]),
    ),
  );
  const inQuotes = parseShell(withoutEscapedQuotes(text)).flatMap(({ words }) =>
    words.flatMap(({ text: word }) => quotedTwice(word)),
  );
  const ports = { marksIn, codeWords };
  const flowed = marksThatFlow(text, commands, ports).map(
    ({ mark, program }): Found => [mark, "code", program],
  );
  return [...inCode, ...inQuotes, ...flowed];
}

/** Marks of a word, as it is without its quotes, that stand between quotes all the same. */
function quotedTwice(word: string): readonly Found[] {
  let state: ShellState = initialShellState;
  let from = 0;
  return [...word.matchAll(MARK)].flatMap((match): readonly Found[] => {
    state = advanceShell(state, word.slice(from, match.index));
    from = match.index + match[0].length;
    // What a substitution quotes is quoted once.
    const quote = isSubstituted(state) ? undefined : QUOTES.get(state.open?.kind);
    // A single one is an apostrophe.
    if (quote === undefined || word.lastIndexOf(quote) < from) return [];
    return [[Number(match[1]), "quotes"]];
  });
}

function isSubstituted({ open }: ShellState): boolean {
  for (let context = open; context !== undefined; context = context.outer)
    if (context.kind === "substitution" || context.kind === "backtick") return true;
  return false;
}

/** Quotes that stand for themselves, since they are escaped outside of all others, as other characters. */
function withoutEscapedQuotes(text: string): string {
  let state: ShellState = initialShellState;
  let rest = "";
  for (const character of text) {
    const isInDouble = state.open?.kind === "double";
    const isItself = state.isEscaped && !isInDouble && /['"]/.test(character);
    state = advanceShell(state, character);
    rest += isItself ? "?" : character;
  }
  return rest;
}

/** Takes the bodies of here-documents out of a text. */
function withoutDocuments(text: string): {
  readonly text: string;
  readonly documents: readonly string[];
} {
  const documents: string[] = [];
  let rest = text;
  let state: ShellState = initialShellState;
  let read = 0;
  for (const { index, 1: dash, 3: word = "" } of text.matchAll(HERE_DOCUMENT)) {
    if (documents.length === MAX_DOCUMENTS) break;
    state = advanceShell(state, text.slice(read, index));
    read = index;
    const context = state.open?.kind;
    const isQuoted = context === "single" || context === "double" || context === "comment";
    // With three it is the word itself that is read.
    if (isQuoted || text[index - 1] === "<") continue;
    const start = text.indexOf("\n", index);
    if (start < 0) continue;
    const last = new RegExp(`^${dash === "-" ? "\\t*" : ""}${word}$`, "gm");
    last.lastIndex = start + 1;
    const body = text.slice(start + 1, last.exec(text)?.index ?? text.length);
    documents.push(body);
    rest = rest.replace(`\n${body}`, () => "\n");
  }
  return { text: rest, documents };
}

/** What stands in `$(…)` and between backticks, whatever quotes are around. */
function substitutions(text: string): readonly string[] {
  const inner = [...text.matchAll(/`([^`]{0,16384})`/g)]
    .map(([, body = ""]) => body)
    .slice(0, MAX_TEXTS);
  for (let at = text.indexOf("$("); at >= 0; at = text.indexOf("$(", at + 2)) {
    let depth = 1;
    let end = at + 2;
    for (; end < Math.min(text.length, at + MAX_INNER_CHARS) && depth > 0; end += 1) {
      if (text[end] === "(") depth += 1;
      if (text[end] === ")") depth -= 1;
    }
    inner.push(text.slice(at + 2, depth === 0 ? end - 1 : end));
    if (inner.length > MAX_TEXTS) break;
  }
  return inner.filter((body) => marksIn(body).length > 0);
}

/** Which words of a command a program reads as code: those behind an option, or all behind so many operands. */
type CodeRule =
  | { readonly option: RegExp }
  | { readonly operands: number; readonly valued: readonly string[] };

const SHELL: CodeRule = { option: /^-[A-Za-z]*c$/ };

const COMMAND_OPTION: CodeRule = { option: /^(?:-c|--command|--session-command)$/ };

const ALL: CodeRule = { operands: 0, valued: [] };

const SSH_VALUED = [..."BbcDEeFIiJLlmOopQRSWw"].map((letter) => `-${letter}`);

const RULES: readonly (readonly [RegExp, readonly CodeRule[]])[] = [
  [/^(?:ba|da|a|z|k|mk|c|tc|fi)?sh$/, [SHELL]],
  [/^(?:su|runuser|script|flock|sg)$/, [COMMAND_OPTION]],
  [/^(?:python|pypy)[\d.]*$/, [{ option: /^-[A-Za-z]*c$/ }]],
  [/^(?:node|nodejs|deno|bun|tsx)$/, [{ option: /^(?:-e|-p|-pe|--eval|--print|eval)$/ }]],
  [/^(?:perl|ruby|lua[\d.]*|Rscript)$/, [{ option: /^-\w*[eE]$/ }]],
  [/^php$/, [{ option: /^-[rBRE]$/ }]],
  [/^(?:psql|mysql|mariadb)$/, [{ option: /^(?:-c|-e|--command|--execute)$/ }]],
  [/^(?:eval|trap|watch|parallel)$/, [ALL]],
  [/^ssh$/, [{ operands: 1, valued: SSH_VALUED }]],
  [/^sqlite3$/, [{ operands: 1, valued: ["-cmd", "-init", "-separator"] }]],
  // The first text is the program of these; sed can run others from it.
  [/^(?:[gm]?awk|g?sed)$/, [{ option: /^(?:-e|-\w*e|--expression)$/ }, ALL]],
  [/^env$/, [{ option: /^(?:-S|--split-string)$/ }]],
];

const MOST_WORDS = 1000;

/** The words of a command that are code for some program among them, wherever that stands: `sudo sh -c …`. */
function codeWords(
  words: readonly ShellWord[],
): readonly { readonly word: ShellWord; readonly program: string }[] {
  return words.flatMap(({ text }, at) => {
    const program = programName(text);
    const rules = RULES.find(([name]) => name.test(program))?.[1] ?? [];
    const behind = words.slice(at + 1, at + 1 + MOST_WORDS);
    return rules.flatMap((rule) => codeBehind(behind, rule).map((word) => ({ word, program })));
  });
}

function codeBehind(words: readonly ShellWord[], rule: CodeRule): readonly ShellWord[] {
  if ("operands" in rule) return afterOptions(words, rule);
  return words.filter((_word, at) => rule.option.test(words[at - 1]?.text ?? ""));
}
