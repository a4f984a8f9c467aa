/** Characters of a drawing by the directions in which their lines leave. */
const OPEN: { readonly [sign: string]: string } = {
  "─": "lr",
  "│": "ud",
  "┌": "rd",
  "┐": "ld",
  "└": "ru",
  "┘": "lu",
  "├": "rud",
  "┤": "lud",
  "┬": "lrd",
  "┴": "lru",
  "┼": "lrud",
};

/**
 * The edges that somebody sees who follows the lines of a drawing with a finger: from the right of a node,
 * up, down and to the right, never back, until an arrow.
 */
export function traceDrawing(lines: readonly string[], ids: readonly string[]): readonly string[] {
  const grid = lines.map((line) => [...line]);
  const edges: string[] = [];
  for (const [row, line] of lines.entries())
    for (const from of ids) {
      const at = placeOf(line, from);
      if (at < 0) continue;
      const start = line.slice(at + from.length).search(/\S/);
      const column = at + from.length + start;
      if (start < 0 || OPEN[grid[row]?.[column] ?? ""] === undefined) continue;
      for (const end of follow(grid, { row, column, going: "r" }))
        edges.push(`${from}>${wordAt(lines[end.row] ?? "", end.column)}`);
    }
  return [...new Set(edges)].sort();
}

interface Finger {
  readonly row: number;
  readonly column: number;
  readonly going: "r" | "u" | "d";
}

function follow(grid: readonly (readonly string[])[], start: Finger): readonly Finger[] {
  const arrows: Finger[] = [];
  const seen = new Set<string>();
  const todo = [start];
  for (let finger = todo.pop(); finger !== undefined; finger = todo.pop()) {
    const { row, column, going } = finger;
    const sign = grid[row]?.[column] ?? " ";
    const key = `${row} ${column} ${going}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (sign === "▶" && going === "r") arrows.push(finger);
    const open = OPEN[sign] ?? "";
    const entry = { r: "l", u: "d", d: "u" }[going];
    if (!open.includes(entry)) continue;
    if (open.includes("r")) todo.push({ row, column: column + 1, going: "r" });
    if (open.includes("u") && going !== "d") todo.push({ row: row - 1, column, going: "u" });
    if (open.includes("d") && going !== "u") todo.push({ row: row + 1, column, going: "d" });
  }
  return arrows;
}

function placeOf(line: string, id: string): number {
  return new RegExp(`(?<![\\w])${id}(?![\\w])`).exec(line)?.index ?? -1;
}

function wordAt(line: string, column: number): string {
  return /^\W*(\w+)/.exec(line.slice(column))?.[1] ?? "";
}
