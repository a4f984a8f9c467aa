/** What bash says of the line: up to the cursor, and the part of the last word that it would replace. */
export interface BashLine {
  /** Without the name of the program; the last one is being typed. */
  readonly words: readonly string[];
  /** What stands before the part that bash replaces, in the same word. */
  readonly hidden: string;
}

/**
 * Reads a line as bash would split it. Nothing is expanded: `$(…)` stays a text. Bash breaks words also at
 * `:`, `=` and `@`, and replaces only what follows; `part` is that.
 */
export function readBashLine(line: string, part: string): BashLine {
  const words = splitWords(line).slice(1);
  const word = words.at(-1) ?? "";
  const replaced = /^[:=@]*$/.test(part) ? "" : part;
  const hidden = word.endsWith(replaced) ? word.slice(0, word.length - replaced.length) : "";
  // The sign @ breaks a word and is replaced with what follows it all the same.
  return { words, hidden: hidden.replace(/@$/, "") };
}

function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let isOpen = false;
  let quote = "";
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (quote === "" && /\s/.test(character)) {
      if (isOpen) words.push(word);
      [word, isOpen] = ["", false];
      continue;
    }
    isOpen = true;
    if (character === "\\" && quote !== "'") {
      index += 1;
      word += line.charAt(index);
    } else if (character === quote) quote = "";
    else if (quote === "" && (character === "'" || character === '"')) quote = character;
    else word += character;
  }
  return [...words, word];
}
