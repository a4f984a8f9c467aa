/** Some files in one line: `a.ts, b.ts and 3 more`. */
export function namedFiles({
  files,
  more,
}: {
  readonly files: readonly string[];
  /** How many there are beyond these. */
  readonly more: number;
}): string {
  return `${files.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
