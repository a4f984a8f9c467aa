import type { Json } from "../../../foundation/json.ts";
import { expressionLimit } from "../errors.ts";
import { measureJson } from "../json-measure.ts";

const FUEL = 100_000;
// One unit pays for this many characters that a function or comparison reads.
const CHARS_PER_UNIT = 64;

/** What one evaluation may consume, so that none takes long. All methods raise EXPRESSION_LIMIT when it is used up. */
export class Fuel {
  readonly #source: string;
  #left = FUEL;

  constructor(source: string) {
    this.#source = source;
  }

  spend(units: number): void {
    this.#left -= Math.ceil(units);
    if (this.#left >= 0) return;
    const span = { start: 0, end: this.#source.length };
    throw expressionLimit({ reason: "its evaluation takes too many steps", span });
  }

  /** Pays for reading so many characters. */
  spendOnChars(chars: number): void {
    this.spend(chars / CHARS_PER_UNIT);
  }

  /** Pays for going through a value a number of times. */
  spendOnValue(value: Json, times: number): void {
    const most = { chars: this.#left * CHARS_PER_UNIT, parts: this.#left };
    const { chars, parts } = measureJson(value, most);
    this.spend((parts + chars / CHARS_PER_UNIT) * times);
  }
}
