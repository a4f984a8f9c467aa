import type { Io } from "./io.ts";
import type { Settings } from "./settings.ts";

/** Writes lines to standard output; in a terminal none is wider than it. Nothing without lines. */
export async function writeLines(
  {
    io,
    settings,
  }: { readonly io: Pick<Io, "stdout">; readonly settings: Pick<Settings, "maxColumns"> },
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const fit = await loadFit(settings);
  io.stdout.write(`${lines.flatMap(fit).join("\n")}\n`);
}

/** What makes lines of a line that fit the terminal; where there is none, a line stays as it is. */
export async function loadFit({
  maxColumns,
}: Pick<Settings, "maxColumns">): Promise<(line: string) => readonly string[]> {
  if (maxColumns === Infinity) return (line) => [line];
  const { fitLine } = await import("./fit-line.ts");
  return (line) => fitLine(line, maxColumns);
}
