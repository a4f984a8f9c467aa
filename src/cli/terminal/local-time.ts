/** `2026-11-27 03:00` in the time zone of this machine, for people. */
export function localTime(timeMs: number): string {
  const date = new Date(timeMs);
  const day = [date.getFullYear(), ...[date.getMonth() + 1, date.getDate()].map(twoDigits)];
  return `${day.join("-")} ${[date.getHours(), date.getMinutes()].map(twoDigits).join(":")}`;
}

/** `HH:MM:SS` in the time zone of this machine. */
export function localClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

function twoDigits(part: number): string {
  return String(part).padStart(2, "0");
}
