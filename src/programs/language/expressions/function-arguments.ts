/** Names of the functions with the number of values that each takes. */
export const FUNCTION_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ["length", 1],
  ["contains", 2],
  ["startsWith", 2],
  ["endsWith", 2],
  ["matches", 2],
  ["exists", 1],
]);
