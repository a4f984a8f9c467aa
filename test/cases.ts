/**
 * How many random cases a property is tried with: a quarter of `all` in the suites of every day, which try the same ones
 * each time, and all of them in `npm run prove`.
 */
export function casesOf(all: number): number {
  return process.env["TROUPE_CASES"] === "all" ? all : Math.ceil(all / 4);
}

/** How many steps to go at a time through what is too much for every day: one by one in `npm run prove`. */
export function strideOf(everyDay: number): number {
  return process.env["TROUPE_CASES"] === "all" ? 1 : everyDay;
}
