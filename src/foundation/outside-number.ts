// Numbers that agents, models, programs and servers write. JSON holds 1e999, which is read as Infinity and stored as null.

/** Longest wait that anybody else may ask for: a year, in ms. */
const MAX_DELAY_MS = 366 * 24 * 60 * 60 * 1000;

/** A number in a text; undefined unless it is finite. */
export function readFinite(text: string): number | undefined {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) return undefined;
  // JSON has no negative zero.
  return number === 0 ? 0 : number;
}

/** A number that is added to others: undefined also beyond 2^53 - 1 either way, where sums lose their meaning. */
export function readNumber(text: string): number | undefined {
  const number = readFinite(text) ?? Number.NaN;
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** A count, an amount or a price: at most `most`, also for Infinity. Undefined unless it is a number of 0 or more. */
export function readAmount(value: unknown, most = Number.MAX_SAFE_INTEGER): number | undefined {
  if (typeof value !== "number" || !(value >= 0)) return undefined;
  return Math.min(value, most);
}

/** A wait that somebody else asks for, in ms: at most a year. Undefined unless it is a number of 0 or more. */
export function readDelayMs(value: unknown): number | undefined {
  return readAmount(value, MAX_DELAY_MS);
}
