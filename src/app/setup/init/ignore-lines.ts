/** What a project keeps to itself: runs and what is derived from them. */
const IGNORED: readonly string[] = [".troupe/runs/", ".troupe/index.db*", ".troupe/context/"];
const COVERS_ALL: ReadonlySet<string> = new Set([
  ".troupe",
  ".troupe/",
  "/.troupe",
  "/.troupe/",
  ".troupe/*",
]);

/** A `.gitignore` with the lines that troupe needs; undefined when nothing is missing. */
export function withIgnored(text: string | undefined): string | undefined {
  const lines = (text ?? "").split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => COVERS_ALL.has(line))) return undefined;
  const missing = IGNORED.filter((line) => !lines.includes(line) && !lines.includes(`/${line}`));
  if (missing.length === 0) return undefined;
  const end = text?.includes("\r\n") ? "\r\n" : "\n";
  const before =
    text === undefined || text === "" || text.endsWith("\n") ? (text ?? "") : text + end;
  return `${before}${missing.join(end)}${end}`;
}
