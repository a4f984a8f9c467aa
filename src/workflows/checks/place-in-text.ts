import type { SourceRange } from "../source/source-node.ts";

/** A text, and where it is written. */
interface WrittenText {
  readonly text: string;
  readonly node: SourceRange;
}

/**
 * Where a part of a text stands in the file. The text may be folded, indented or escaped there, so the
 * part is searched as written: the whole text is the place when it cannot be found.
 */
export function placeInText(
  located: WrittenText,
  part: { readonly start: number; readonly end: number },
  source: string,
): SourceRange {
  const { text, node } = located;
  const snippet = text.slice(part.start, part.end);
  if (snippet === "") return node;
  const raw = source.slice(node.start, node.end);
  let offset = raw.indexOf(snippet);
  for (
    let before = text.indexOf(snippet);
    before >= 0 && before < part.start && offset >= 0;
    before = text.indexOf(snippet, before + 1)
  )
    offset = raw.indexOf(snippet, offset + 1);
  if (offset < 0) return node;
  return { start: node.start + offset, end: node.start + offset + snippet.length };
}
