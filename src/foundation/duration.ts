import { defineError } from "./errors.ts";

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;

export const durationInvalid = defineError("DURATION_INVALID", {
  message: (details: { given: string; of?: string }) =>
    details.of === undefined
      ? `"${details.given}" is not a duration`
      : `${details.of} takes a duration, got "${details.given}"`,
  hint: () => "write a number and a unit: 500ms, 30s, 10m, 2h, 1d",
  about:
    "A duration is a number with one of the units ms, s, m, h, d, without a space: 500ms, 30s, 10m, 2h, 1d.",
});

/** Whether a text is a duration such as `500ms`, `30s`, `10m`, `2h` or `1d`. */
export function isDuration(text: string): boolean {
  return DURATION.test(text);
}

/** Milliseconds of a duration text; `of` is what it was given for. Raises DURATION_INVALID. */
export function parseDuration(text: string, of?: string): number {
  const match = DURATION.exec(text);
  const unit = match?.[2];
  if (match?.[1] === undefined || !isUnit(unit))
    throw durationInvalid({ given: text, ...(of === undefined ? {} : { of }) });
  return Math.round(Number(match[1]) * UNITS[unit]);
}

/** How much later one time is than another, both in milliseconds since the epoch; 0 when the clock was set back between. */
export function elapsedMs(startedAt: number, now: number): number {
  return Math.max(0, now - startedAt);
}

/**
 * What is left of a time of `durationMs` that began at `startedAt`, both times in milliseconds since the epoch; below 0
 * when it is over. Never more than all of it: a clock that was set back makes nobody wait for longer.
 */
export function leftMs(startedAt: number, durationMs: number, now: number): number {
  return Math.min(durationMs, startedAt + durationMs - now);
}

/** A duration as a journal has it; in one of an earlier version a clock that was set back may have left one below nothing. */
export function recordedMs(durationMs: number): number {
  return Math.max(0, durationMs);
}

/** A duration for people: `850ms`, `4.2s`, `1m44s`, `2h05m`. */
export function formatDuration(durationMs: number): string {
  // Where rounding makes a whole second or minute of it, it is told as that.
  if (durationMs < 999.5) return `${Math.round(recordedMs(durationMs))}ms`;
  if (durationMs < 59_950) return `${trimZero((durationMs / 1000).toFixed(1))}s`;
  const seconds = Math.round(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
}

function isUnit(unit: string | undefined): unit is keyof typeof UNITS {
  return unit !== undefined && Object.hasOwn(UNITS, unit);
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

function trimZero(text: string): string {
  return text.replace(/\.0$/, "");
}
