const FORMAT = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" });

/** `2026-11-27 03:00` in the time zone of this machine, for people. */
export function localTime(timeMs: number): string {
  return FORMAT.format(timeMs);
}

/** `HH:MM:SS` in the time zone of this machine. */
export function localClock(atMs: number): string {
  const date = new Date(atMs);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
