import { type Json, toJson } from "../../foundation/json.ts";
import { dataTooLarge, dataTooLargeTogether } from "../steps/parts/errors.ts";

const MAX_STEP_CHARS = 16 * 1024 * 1024;
// A few such texts fit into the memory of a process; a cycle that doubles what it has would soon take all of it.
const MAX_RUN_CHARS = 128 * 1024 * 1024;

/** How much the steps of a run may come to: all of it stays in memory, for whatever looks back. */
export class DataBounds {
  #totalChars = 0;

  /** Takes in what a step came to. Raises STEP_DATA_TOO_LARGE, STEP_DATA_TOO_LARGE_TOGETHER, VALUE_NOT_JSON. */
  admit(step: string, given: unknown): Json {
    const data = toJson(given, `the data of step "${step}"`);
    const chars = JSON.stringify(data).length;
    if (chars > MAX_STEP_CHARS) throw dataTooLarge({ step });
    if (this.#totalChars + chars > MAX_RUN_CHARS) throw dataTooLargeTogether({ step });
    this.#totalChars += chars;
    return data;
  }
}
