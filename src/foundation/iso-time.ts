const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The ISO 8601 text, with milliseconds, of a time in ms since the epoch. */
export function toIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** The ms since the epoch of an ISO 8601 text with its zone; undefined for any other text. */
export function fromIsoTime(text: string): number | undefined {
  const day = text.slice(0, 10);
  const timeMs = WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN;
  // A day that its month does not have would be taken as one of the next month.
  const isDay = !Number.isNaN(timeMs) && toIsoTime(Date.parse(day)).startsWith(day);
  return isDay ? timeMs : undefined;
}
