/** The code of an error of the system, such as ENOENT; undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What to tell a person about a caught error: its code, else its message. */
export function reasonOf(error: unknown): string {
  const code = systemErrorCode(error);
  if (code !== undefined) return code;
  return error instanceof Error ? error.message : String(error);
}
