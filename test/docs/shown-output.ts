/** Stands for any number of lines in what a page shows. */
const LEFT_OUT = "…";
const TIME = "00:00:00 ";

/** Whether a page shows what was printed, apart from times, durations, sizes and widths of columns. */
export function isShown(shown: readonly string[], printed: readonly string[]): boolean {
  const [expected, got] = [shown.map(withoutChance), printed.map(withoutChance)];
  if (expected.includes(LEFT_OUT)) return matches(expected, got);
  return matches(inAnyOrder(expected), inAnyOrder(got));
}

/** What happens side by side is told in either order: lines with a time are sorted where they stand in a row. */
function inAnyOrder(lines: readonly string[]): readonly string[] {
  const rows: string[][] = [];
  for (const line of lines) {
    const row = rows.at(-1);
    if (row?.[0]?.startsWith(TIME) && line.startsWith(TIME)) row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => row.toSorted());
}

function matches(shown: readonly string[], printed: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.length === 0;
  if (first === LEFT_OUT)
    return printed.concat("").some((_line, index) => matches(rest, printed.slice(index)));
  return first === printed[0] && matches(rest, printed.slice(1));
}

function withoutChance(line: string): string {
  return line
    .replace(/^(### )?\d\d:\d\d:\d\d/, `$1${TIME.trim()}`)
    .replaceAll(/\btraj_[0-9a-f]{12}\b/g, "traj_ID")
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d\b)/g, "TIME")
    .replaceAll(/\b(\d+h)?(\d+m)?\d+(\.\d+)?(ms|s)\b/g, "0s")
    .replaceAll(/\b\d+(\.\d+)? ?(B|kB|KB|KiB|MB|MiB)\b/g, "0 B")
    .replaceAll(/"(durationMs|startedAt|endedAt|at)":("[^"]*"|[\d.]+)/g, '"$1":0')
    .replaceAll(/\b[0-9a-f]{64}\b/g, "HASH")
    .replaceAll(/ +/g, " ")
    .trimEnd();
}
