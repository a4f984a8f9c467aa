/** The ISO 8601 text, with milliseconds, of a time in ms since the epoch. */
export function toIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
