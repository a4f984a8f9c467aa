import {
  afterOptions,
  programName,
  type ShellCommand,
  type ShellWord,
} from "../shell/shell-commands.ts";

// A value that a shell keeps as one becomes code where its text is handed on as such: written to the input of another
// shell, put into the code of one by a variable, or taken for arithmetic or the name of a variable, which bash reads
// with the substitutions in it. It is looked for in one text; what its files and programs do with it, nobody can tell.

/** A mark at a place where its value would be read as code. */
export interface FlowedMark {
  readonly mark: number;
  /** What reads the code. */
  readonly program: string;
}

/** How a text and its words are looked through. */
export interface FlowPorts {
  /** The marks that stand in a text. */
  marksIn(text: string): readonly number[];
  /** The words of a command that are code for some program. */
  codeWords(
    words: readonly ShellWord[],
  ): readonly { readonly word: ShellWord; readonly program: string }[];
}

const SHELL = /^(?:ba|da|a|z|k|mk|c|tc|fi)?sh$/;
const READERS: readonly RegExp[] = [
  SHELL,
  /^(?:python|pypy)[\d.]*$/,
  /^(?:node|nodejs|deno|bun|tsx|perl|ruby|lua[\d.]*|Rscript|php)$/,
  /^(?:at|batch)$/,
];
const VALUED = ["-o", "-O", "+o", "+O", "--rcfile", "--init-file", "-W", "-X", "-r", "-I"];
const CODE_GIVEN = /^(?:-[A-Za-z]*[cepmE]|--(?:eval|print|version|help))$/;
/** Their whole input is code, whatever their operands are. */
const CLIENTS = /^(?:psql|mysql|mariadb|sqlite3|bc|dc|gdb)$/;
const ASSIGNS = /^([A-Za-z_]\w*)\+?=/s;
const SETTING: ReadonlySet<string> = new Set(["for", "read", "printf"]);
const NAMING = /^(?:export|declare|typeset|local|readonly)$/;
const NAMES_ALL = /^(?:read|unset|mapfile|readarray|getopts)$/;
const READ_VALUED = ["-p", "-d", "-n", "-N", "-t", "-u", "-i", "-O", "-s", "-C", "-c"];
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** The marks of one text for a shell that flow into code. */
export function marksThatFlow(
  text: string,
  commands: readonly ShellCommand[],
  ports: FlowPorts,
): readonly FlowedMark[] {
  const held = heldBy(commands, ports);
  const { codeWords, marksIn } = ports;
  const marksOf = (word: ShellWord) => [...marksIn(word.text), ...expanded(word, held)];
  const marksOfAll = (some: readonly ShellCommand[]) =>
    some.flatMap(({ words }) => words.flatMap(marksOf));
  const found: FlowedMark[] = [];
  const add = (marks: readonly number[], program: string) => {
    for (const mark of marks) found.push({ mark, program });
  };
  if (held.size > 0)
    for (const { words } of commands)
      for (const { word, program } of codeWords(words)) add(expanded(word, held), program);
  for (const { from, to, reader } of pipes(commands))
    add(marksOfAll(commands.slice(from, to)), reader);
  for (const { words, stdin } of commands) {
    const reader = stdin === undefined ? undefined : readerOf(words);
    if (reader !== undefined && stdin !== undefined) add(marksOf(stdin), reader);
    if (held.size === 0 && words.every(({ text: word }) => marksIn(word).length === 0)) continue;
    for (const { word, program } of namesIn(words)) add(marksOf(word), program);
    if (text.includes("[[")) for (const word of comparedIn(words)) add(marksOf(word), "[[");
  }
  for (const body of arithmeticIn(text)) {
    const names = new Set([...body.matchAll(/[A-Za-z_]\w*/g)].map(([name]) => name));
    add([...marksIn(body), ...heldIn(names, held)], "arithmetic");
  }
  return found;
}

/** Marks by the variables that hold them. Sets: a variable that is doubled again and again holds each value once. */
type Held = ReadonlyMap<string, ReadonlySet<number>>;

/** Which variables hold which values, also by way of others. */
function heldBy(commands: readonly ShellCommand[], { marksIn }: FlowPorts): Held {
  const held = new Map<string, Set<number>>();
  const keep = (name: string, marks: readonly number[]) => {
    if (marks.length === 0) return;
    const known = held.get(name) ?? new Set();
    for (const mark of marks) known.add(mark);
    held.set(name, known);
  };
  const marksOf = (word: ShellWord) => [...marksIn(word.text), ...expanded(word, held)];
  for (const [at, { words, stdin }] of commands.entries()) {
    const isSetting = SETTING.has(words[0]?.text ?? "");
    if (!isSetting && !words.some(({ text }) => text.includes("="))) continue;
    for (const word of words) {
      const [all = "", name] = ASSIGNS.exec(word.text) ?? [];
      if (name === undefined) continue;
      keep(name, marksOf(word));
      // What a substitution prints: its commands follow.
      if (word.text === `${all}$`) keep(name, commands[at + 1]?.words.flatMap(marksOf) ?? []);
    }
    const [first, name, keyword, ...values] = words.map((word) => word.text);
    if (first === "for" && name !== undefined && keyword === "in" && values.length > 0)
      keep(name, words.slice(3).flatMap(marksOf));
    if (first === "read" && stdin !== undefined)
      for (const { text } of afterOptions(words.slice(1), { valued: READ_VALUED, operands: 0 }))
        keep(text, marksOf(stdin));
    if (first === "printf" && words[1]?.text === "-v")
      keep(words[2]?.text ?? "", words.slice(3).flatMap(marksOf));
  }
  return held;
}

/** What this shell itself puts into a word: in single quotes nothing. */
function expanded({ text, isLiteral }: ShellWord, held: Held): readonly number[] {
  if (isLiteral || held.size === 0) return [];
  const names = [...text.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name);
  return heldIn(new Set(names), held);
}

function heldIn(names: ReadonlySet<string>, held: Held): readonly number[] {
  const marks = new Set<number>();
  for (const name of names) for (const mark of held.get(name) ?? []) marks.add(mark);
  return [...marks];
}

/** Commands whose output one of the same pipeline reads as code; `to` is excluded. */
interface Piped {
  readonly from: number;
  readonly to: number;
  readonly reader: string;
}

/** What flows into each reader of code, without what has flowed into an earlier one. */
function pipes(commands: readonly ShellCommand[]): readonly Piped[] {
  const found: Piped[] = [];
  let from: number | undefined;
  let seen = 0;
  for (const [at, { words, isPiped }] of commands.entries()) {
    const reader = from === undefined ? undefined : readerOf(words);
    if (from !== undefined && reader !== undefined) {
      found.push({ from, to: at, reader });
      seen = at;
      from = at;
    }
    if (isPiped === "alone") from ??= at;
    else if (isPiped === "group") from = seen;
    else from = undefined;
  }
  return found;
}

/** The program of a command that reads its input as code. */
function readerOf(words: readonly ShellWord[]): string | undefined {
  const texts = words.map(({ text }) => text);
  if (texts.some((text) => programName(text) === "xargs")) return xargsReader(texts);
  for (const [at, text] of texts.entries()) {
    const program = programName(text);
    if (CLIENTS.test(program)) return program;
    if (/^(?:\.|source)$/.test(program) && /^\/dev\/(?:stdin|fd\/0)$/.test(texts[at + 1] ?? ""))
      return program;
    if (program === "ssh" && at === texts.length - 2) return program;
    if (!READERS.some((pattern) => pattern.test(program))) continue;
    if (readsInput(program, words.slice(at + 1, at + 1 + MOST_WORDS))) return program;
  }
  return undefined;
}

function readsInput(program: string, behind: readonly ShellWord[]): boolean {
  const isShell = SHELL.test(program);
  const has = (pattern: RegExp) => behind.some(({ text }) => pattern.test(text));
  if (isShell && has(/^-[A-Za-z]*s[A-Za-z]*$/)) return true;
  if (has(isShell ? /^-[A-Za-z]*c$/ : CODE_GIVEN)) return false;
  const [script] = afterOptions(behind, { valued: VALUED, operands: 0 });
  return script === undefined || /^(?:-|\/dev\/stdin|\/dev\/fd\/0)$/.test(script.text);
}

/** It puts its input into the code of a shell only where it replaces something in it. */
function xargsReader(texts: readonly string[]): string | undefined {
  const shell = texts.find((text) => SHELL.test(programName(text)));
  const replaces = texts.some((text) => /^(?:-I.*|-i.*|--replace.*)$/.test(text));
  return replaces && texts.includes("-c") && shell !== undefined ? "xargs" : undefined;
}

interface NamedWord {
  readonly word: ShellWord;
  readonly program: string;
}

/** The words that bash takes for names of variables or for arithmetic: an index in one is computed. */
function namesIn(all: readonly ShellWord[]): readonly NamedWord[] {
  const words = withoutLead(all);
  const [first, ...rest] = words;
  const program = first?.text ?? "";
  const named = (found: readonly ShellWord[]) => found.map((word) => ({ word, program }));
  if (program === "let") return named(rest);
  if (NAMES_ALL.test(program))
    return named(afterOptions(rest, { valued: READ_VALUED, operands: 0 }));
  if (NAMING.test(program)) {
    const isInteger = rest.some(({ text }) => /^-[A-Za-z]*i/.test(text));
    return named(
      rest.flatMap((word) => {
        if (isInteger) return [word];
        const [name = ""] = word.text.split("=", 1);
        return [{ ...word, text: name }];
      }),
    );
  }
  const isTest = /^(?:test|\[|\[\[)$/.test(program);
  const option = isTest || program === "printf" ? "-v" : undefined;
  return named(rest.filter((_word, at) => option !== undefined && rest[at - 1]?.text === option));
}

/** Without assignments and keywords of the shell in front. */
function withoutLead(words: readonly ShellWord[]): readonly ShellWord[] {
  const start = words.findIndex(
    ({ text }) => !ASSIGNS.test(text) && !/^(?:builtin|command|time)$/.test(text),
  );
  return start < 0 ? [] : words.slice(start);
}

function comparedIn(words: readonly ShellWord[]): readonly ShellWord[] {
  if (/^(?:test|\[)$/.test(words[0]?.text ?? "")) return [];
  return words.filter((_word, at) =>
    [words[at - 1], words[at + 1]].some((near) => COMPARES.test(near?.text ?? "")),
  );
}

const MOST_CHARS = 4096;
const MOST_WORDS = 1000;

/** What stands in `$((…))`, `((…))` and `$[…]`, and between the brackets of an array's index. */
function arithmeticIn(text: string): readonly string[] {
  const indexes = [...text.matchAll(/\$\{[!#]?\w+\[([^\]]{0,4096})\]/g)].map(
    ([, body = ""]) => body,
  );
  const old = [...text.matchAll(/\$\[([^\]]{0,4096})\]/g)].map(([, body = ""]) => body);
  const found = [...indexes, ...old];
  let seen = 0;
  for (const { index, 0: open } of text.matchAll(/(?<=\$|^|[\s;&|])\(\(/g)) {
    // What stands inside is in the text of the one around it.
    if (index < seen) continue;
    let depth = 2;
    const start = index + open.length;
    let end = start;
    for (; end < Math.min(text.length, start + MOST_CHARS) && depth > 0; end += 1) {
      if (text[end] === "(") depth += 1;
      if (text[end] === ")") depth -= 1;
    }
    found.push(text.slice(start, end));
    seen = end;
  }
  return found;
}
