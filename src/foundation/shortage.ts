const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Whether too many files are open for now, which says nothing of what was asked for. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && "code" in error && CODES.has(error.code);
}
