/** A word of a command line; not literal when a shell would put something else in its place. */
export interface ShellWord {
  readonly text: string;
  readonly isLiteral: boolean;
}

/** One command of a command line, without its redirections. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** The file that it reads its input from. */
  readonly stdin: ShellWord | undefined;
  /** Set where its output goes into the next one: that of it alone, or with all of the group before. */
  readonly isPiped?: "alone" | "group";
}

const SPECIAL_PATTERN = /[;&|\n(){}]/;
const RESERVED: ReadonlySet<string> = new Set(
  "if then elif else fi do done while until ! { }".split(" "),
);

/** A list of arguments as one command. */
export function toCommand(argv: readonly string[]): ShellCommand {
  return { words: argv.map((text) => ({ text, isLiteral: true })), stdin: undefined };
}

/**
 * The commands that stand in a text for a shell, in their order, whatever decides which of them run. What is not
 * understood is left out or split further: no command is carried out from this.
 */
export function parseShell(text: string): readonly ShellCommand[] {
  return new ShellReader(text).read();
}

class ShellReader {
  readonly #text: string;
  readonly #commands: ShellCommand[] = [];
  #words: ShellWord[] = [];
  #stdin: ShellWord | undefined;
  /** What the next word is, when it is none of the command's. */
  #redirection: "<" | ">" | undefined;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replaceAll("\\\n", " ");
  }

  read(): readonly ShellCommand[] {
    while (this.#at < this.#text.length) this.#readNext(this.#text[this.#at] ?? "");
    this.#endCommand();
    return this.#commands;
  }

  #readNext(character: string): void {
    if (SPECIAL_PATTERN.test(character) && !this.#isBraceOfWord(character)) {
      this.#at += 1;
      const isPipe =
        character === "|" && this.#text[this.#at] !== "|" && this.#text[this.#at - 2] !== "|";
      this.#endCommand(isPipe);
    } else if (character === " " || character === "\t" || character === "\r") this.#at += 1;
    else if (character === "#") this.#skipComment();
    else if (character === "<" || character === ">") this.#readRedirection(character);
    else this.#takeWord(this.#readWord());
  }

  // `{}` and `{a,b}` are words.
  #isBraceOfWord(character: string): boolean {
    if (character !== "{" && character !== "}") return false;
    return !/\s/.test(this.#text[this.#at + 1] ?? " ");
  }

  #skipComment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #readRedirection(character: "<" | ">"): void {
    this.#redirection = character;
    while (/[<>&]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #takeWord(word: ShellWord): void {
    const redirection = this.#redirection;
    this.#redirection = undefined;
    const next = this.#text[this.#at];
    // `2>`: the number belongs to the redirection.
    if (/^\d+$/.test(word.text) && (next === "<" || next === ">")) return;
    if (redirection === "<") this.#stdin = word;
    if (redirection !== undefined) return;
    if (this.#words.length === 0 && RESERVED.has(word.text)) return;
    this.#words.push(word);
  }

  #readWord(): ShellWord {
    let [text, isLiteral] = ["", true];
    for (; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at] ?? "";
      if (character === "'" || character === '"') {
        const quoted = this.#readQuoted(character);
        text += quoted.text;
        isLiteral &&= quoted.isLiteral;
      } else if (character === "\\") {
        this.#at += 1;
        text += this.#text[this.#at] ?? "";
      } else if (/[\s;&|()<>]/.test(character)) break;
      else {
        isLiteral &&= !/[$`*?[]/.test(character);
        text += character;
      }
    }
    return { text, isLiteral };
  }

  /** Leaves the place at the closing mark. */
  #readQuoted(mark: string): ShellWord {
    let [text, isLiteral] = ["", true];
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at] ?? "";
      if (character === mark) break;
      if (mark === '"' && character === "\\") {
        this.#at += 1;
        text += this.#text[this.#at] ?? "";
        continue;
      }
      if (mark === '"' && /[$`]/.test(character)) isLiteral = false;
      text += character;
    }
    return { text, isLiteral };
  }

  #endCommand(isPiped = false): void {
    const command = { words: this.#words, stdin: this.#stdin };
    if (this.#words.length > 0)
      this.#commands.push(isPiped ? { ...command, isPiped: "alone" } : command);
    else if (isPiped) {
      // Behind the end of a group, or a reserved word such as `done`.
      const last = this.#commands.pop();
      if (last !== undefined) this.#commands.push({ ...last, isPiped: "group" });
    }
    this.#words = [];
    this.#stdin = undefined;
    this.#redirection = undefined;
  }
}

/** How a program that runs another one is called. */
interface Wrapper {
  /** Options that have a value of their own as the next word. */
  readonly valued: readonly string[];
  /** How many words stand before the command, beside options and assignments. */
  readonly operands: number;
  /** Words of which the first must follow, as `run` in `uv run`. */
  readonly verbs?: readonly string[];
}

const plain: Wrapper = { valued: [], operands: 0 };
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["env", { valued: ["-u", "--unset", "-C", "--chdir"], operands: 0 }],
  ["timeout", { valued: ["-k", "--kill-after", "-s", "--signal"], operands: 1 }],
  ["nice", { valued: ["-n", "--adjustment"], operands: 0 }],
  ["ionice", { valued: ["-c", "-n", "-p"], operands: 0 }],
  ["chrt", { valued: [], operands: 1 }],
  ["taskset", { valued: [], operands: 1 }],
  ["stdbuf", { valued: ["-i", "-o", "-e"], operands: 0 }],
  ["time", { valued: ["-f", "-o"], operands: 0 }],
  ["exec", { valued: ["-a"], operands: 0 }],
  ["sudo", { valued: ["-u", "-g", "-D"], operands: 0 }],
  ["doas", { valued: ["-u"], operands: 0 }],
  ["flock", { valued: ["-w", "-E"], operands: 1 }],
  ["xargs", { valued: ["-n", "-I", "-P", "-L", "-d", "-a", "-s", "-E"], operands: 0 }],
  ["prlimit", { valued: ["-p"], operands: 0 }],
  ["setpriv", { valued: [], operands: 0 }],
  ["unshare", { valued: [], operands: 0 }],
  ["npx", { valued: ["-p", "--package"], operands: 0 }],
  ["bunx", plain],
  ...["command", "builtin", "nohup", "setsid", "chronic", "unbuffer", "xvfb-run", "busybox"].map(
    (name): [string, Wrapper] => [name, plain],
  ),
  ...["uv", "poetry", "pipenv", "pdm", "rye", "hatch"].map((name): [string, Wrapper] => [
    name,
    { ...plain, verbs: ["run"] },
  ]),
  ["bundle", { ...plain, verbs: ["exec"] }],
]);
const ASSIGNMENT_PATTERN = /^[A-Za-z_]\w*=/;

/** The words of the command that another program or an assignment stands before; undefined when none does. */
export function unwrapped(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  if (ASSIGNMENT_PATTERN.test(first.text)) return rest;
  const split = rest.findIndex(({ text }) => text === "-S" || text === "--split-string");
  if (programName(first.text) === "env" && split >= 0) {
    const [line] = parseShell(rest[split + 1]?.text ?? "");
    return [...(line?.words ?? []), ...rest.slice(split + 2)];
  }
  const wrapper = WRAPPERS.get(programName(first.text));
  if (wrapper === undefined) return undefined;
  if (wrapper.verbs === undefined) return afterOptions(rest, wrapper);
  const [verb, ...behind] = rest;
  return wrapper.verbs.includes(verb?.text ?? "") ? afterOptions(behind, wrapper) : undefined;
}

/** The name of a program, wherever it lies. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What follows the options of a command. */
export function afterOptions(
  words: readonly ShellWord[],
  { valued, operands }: Pick<Wrapper, "valued" | "operands">,
): readonly ShellWord[] {
  let [index, left] = [0, operands];
  for (; index < words.length; index += 1) {
    const text = words[index]?.text ?? "";
    if (text === "--") continue;
    if (text.startsWith("-") && text !== "-") index += valued.includes(text) ? 1 : 0;
    else if (ASSIGNMENT_PATTERN.test(text)) continue;
    else if (left > 0) left -= 1;
    else break;
  }
  return words.slice(index);
}
