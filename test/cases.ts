/**
 * How many random cases a property is tried with: a share of `all` in the suites of every day, a quarter if not given,
 * and all of them in `npm run prove`.
 */
export function casesOf(all: number, parts = 4): number {
  return takesAll() ? all : Math.ceil(all / parts);
}

/** How many steps to go at a time through what is too much for every day: one by one in `npm run prove`. */
export function strideOf(everyDay: number): number {
  return takesAll() ? 1 : everyDay;
}

/** Returns whether this is `npm run prove`, which tries everything of what the daily suites sample. */
export function takesAll(): boolean {
  return process.env["TROUPE_CASES"] === "all";
}
