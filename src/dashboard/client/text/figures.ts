import type { Usage } from "../../../contracts/usage.ts";

/**
 * Dollars with as many digits as say something: `$0.42`, `$0.0031`, `~$0.42` when partly estimated; `unknown`
 * when nobody knows.
 */
export function costText({ costUsd, estimatedUsd = 0 }: Usage): string {
  if (costUsd === undefined) return "unknown";
  const isSmall = costUsd !== 0 && Math.abs(costUsd) < 0.1;
  return `${estimatedUsd > 0 ? "~" : ""}$${costUsd.toFixed(isSmall ? 4 : 2)}`;
}

/** A number of tokens: `980`, `12.4k`, `2.1M`; `unknown` when nobody knows. */
export function formatTokens(tokens: number | undefined): string {
  if (tokens === undefined) return "unknown";
  if (tokens < 1000) return String(tokens);
  const isMillions = tokens >= 999_950;
  const value = (tokens / (isMillions ? 1_000_000 : 1000)).toFixed(1).replace(/\.0$/, "");
  return `${value}${isMillions ? "M" : "k"}`;
}

/** A number with its noun: `1 step`, `3 steps`. */
export function formatCount(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The time of day where the reader is: `10:01:22`. */
export function formatClock(atMs: number): string {
  const time = new Date(atMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** Date and time of day where the reader is: `2026-11-21 10:01:22`. */
export function formatMoment(atMs: number): string {
  const time = new Date(atMs);
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return `${date.map((part) => String(part).padStart(2, "0")).join("-")} ${formatClock(atMs)}`;
}
