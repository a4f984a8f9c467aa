import { SIGNAL_FORMS } from "../../../signals/signal-forms.ts";

const KEYWORD_PATTERN = new RegExp(`^(?:${[...SIGNAL_FORMS.keys()].join("|")})\\b`);
const MARKER_PATTERN = /^[A-Z][A-Z0-9_-]*(?: ?\[confidence=[^\]\r\n]{0,40}\])?:/;
const SENTENCE_END_PATTERN = /[.!?:;)\]…]$/u;
const WORD_END_PATTERN = /[\p{Ll}.!?:;)\]…]$/u;

/**
 * What stands between what was said and the next piece: a line break where a piece that begins with a signal is glued to
 * what came before, such as a warning that ends without one. Nobody writes `word.DONE:` within a sentence.
 */
export function borderBefore(said: string, piece: string): "" | "\n" {
  const end = said.slice(-2);
  if (MARKER_PATTERN.test(piece)) return WORD_END_PATTERN.test(end) ? "\n" : "";
  return KEYWORD_PATTERN.test(piece) && SENTENCE_END_PATTERN.test(end) ? "\n" : "";
}
