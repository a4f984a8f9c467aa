import { Lexer } from "yaml";

// What the lexer puts before the text of a scalar.
const SCALAR_FOLLOWS = "\u001f";

/** Whether a file has comments that people wrote, which no other format would keep. */
export function hasComments(text: string, file: string): boolean {
  if (/\.jsonc?$/i.test(file)) return /^\s*(\/\/|\/\*)/m.test(text);
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    // That one tells editors of the schema.
    if (!isText && token.startsWith("#") && !token.includes("yaml-language-server")) return true;
    isText = token === SCALAR_FOLLOWS;
  }
  return false;
}
