import { type Random, seededRandom } from "../../src/foundation/random.ts";
import type { Landing } from "./crash-case.ts";

/** Prints a line about what the suite covers. */
export function say(text: string): void {
  process.stdout.write(`crash: ${text}\n`);
}

/** Prints how many points were tried and where they struck. */
export function sayLandings(what: string, landings: readonly Landing[]): void {
  say(`${what}: ${landings.length} points: ${countsOf(landings)}`);
}

/** How often each word occurs: `3 one, 2 other`. */
export function countsOf(words: readonly string[]): string {
  return [...Map.groupBy(words, (word) => word)]
    .map(([word, all]) => `${all.length} ${word}`)
    .join(", ");
}

/** Random numbers whose seed is printed; CRASH_SEED repeats them. */
export function seedOf(what: string): Random {
  const seed = process.env["CRASH_SEED"] ?? String(Date.now());
  say(`${what}: CRASH_SEED=${seed}`);
  return seededRandom(`${seed} ${what}`);
}
