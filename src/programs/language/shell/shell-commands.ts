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
      this.#endCommand();
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

  #endCommand(): void {
    if (this.#words.length > 0) this.#commands.push({ words: this.#words, stdin: this.#stdin });
    this.#words = [];
    this.#stdin = undefined;
    this.#redirection = undefined;
  }
}
