import { widthOf, wrapTo } from "./measure.ts";

// Deeper than this what is continued would have no room.
const MAX_INDENT_SHARE = 0.25;
const PART_END = /(?<= [·|]) /u;

/**
 * A line as lines of at most `columns`: broken behind the dots between its parts where that is enough, else between
 * words. What is continued stands two columns further in.
 */
export function fitLine(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const [, lead = ""] = /^( *)/u.exec(line) ?? [];
  const indent = " ".repeat(Math.floor(Math.min(lead.length + 2, columns * MAX_INDENT_SHARE)));
  const broken: string[] = [];
  let current: string | undefined;
  for (const part of line.split(PART_END)) {
    const joined = current === undefined ? part : `${current} ${part}`;
    if (current !== undefined && widthOf(joined) > columns) {
      broken.push(current);
      current = `${indent}${part}`;
    } else current = joined;
  }
  return [...broken, current ?? ""].flatMap((part) => wrapPart(part, indent, columns));
}

function wrapPart(part: string, indent: string, columns: number): readonly string[] {
  if (widthOf(part) <= columns) return [part];
  const [first = "", ...rest] = wrapTo(part, columns);
  if (rest.length === 0) return [first];
  // A broken line keeps the space that it was broken at, and a word has none.
  const more = wrapTo(rest.join("").trimStart(), columns - indent.length);
  return [first.trimEnd(), ...more.map((line) => `${indent}${line.trimStart()}`.trimEnd())];
}
