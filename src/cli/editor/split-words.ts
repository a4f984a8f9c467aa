// A word: bare characters, escaped ones and quoted stretches in a row, as a shell reads them, without any
// expansion: nothing of a value can become another command.
const PART = /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"\\]+)/suy;
const BLANK = /\s*/uy;

/** The words of a command line such as `code --wait`; undefined when a quote or an escape has no end. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let at = skipBlank(line, 0);
  while (at < line.length) {
    const word = readWord(line, at);
    if (word === undefined) return undefined;
    words.push(word.text);
    at = skipBlank(line, word.end);
  }
  return words;
}

function readWord(
  line: string,
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  let text = "";
  let end = start;
  while (end < line.length && !/\s/u.test(line.charAt(end))) {
    PART.lastIndex = end;
    const part = PART.exec(line);
    if (part === null) return undefined;
    const [, escaped, single, double, bare] = part;
    text += escaped ?? single ?? double?.replace(/\\(["\\$`])/gu, "$1") ?? bare ?? "";
    end = PART.lastIndex;
  }
  return { text, end };
}

function skipBlank(line: string, start: number): number {
  BLANK.lastIndex = start;
  BLANK.test(line);
  return BLANK.lastIndex;
}
