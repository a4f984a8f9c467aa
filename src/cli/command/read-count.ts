import { usageInvalid } from "./errors.ts";

/** How many of a list are wanted by `--limit`; Infinity without it. Raises USAGE_INVALID. */
export function readLimit(text: string | undefined): number {
  return text === undefined ? Infinity : readCount(text, "--limit", 1);
}

/** A number from `least` on that was given to an option. Raises USAGE_INVALID. */
export function readCount(text: string, option: string, least: number = 0): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw usageInvalid({
    problem: `${option} takes a number from ${least} to 999999, got "${text}"`,
  });
}
