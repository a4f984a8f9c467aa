const OPEN = /^ *# repeat ([a-z])$/;
const CLOSE = /^ *# end$/;

/**
 * A text in which the lines between `# repeat n` and `# end` stand once for every number from 1 to `count`,
 * with that number for `<n>`, and `count` for `<count>`. Blocks may hold blocks with another letter.
 */
export function repeatLines(text: string, count: number): string {
  return expand(text.replaceAll("<count>", String(count)).split("\n"), count).join("\n");
}

function expand(lines: readonly string[], count: number): readonly string[] {
  const start = lines.findIndex((line) => OPEN.test(line));
  if (start < 0) return lines;
  const length = blockLength(lines.slice(start + 1));
  const letter = OPEN.exec(lines[start] ?? "")?.[1] ?? "n";
  const block = expand(lines.slice(start + 1, start + 1 + length), count);
  const copies = Array.from({ length: count }, (_, index) =>
    block.map((line) => line.replaceAll(`<${letter}>`, String(index + 1))),
  );
  const after = lines.slice(start + 2 + length);
  return [...lines.slice(0, start), ...copies.flat(), ...expand(after, count)];
}

/** How many lines stand before the end of the block that has just begun. */
function blockLength(lines: readonly string[]): number {
  let depth = 1;
  for (const [index, line] of lines.entries()) {
    if (OPEN.test(line)) depth += 1;
    if (CLOSE.test(line)) depth -= 1;
    if (depth === 0) return index;
  }
  throw new Error("a template repeats lines without an end");
}
