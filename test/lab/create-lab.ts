import { seededRandom } from "../../src/foundation/random.ts";
import type { Lab } from "./experiment.ts";

/** Experiments are told apart by their names, so that one alone finds what it finds among all. */
export function createLab(seed: string, share = 1): Lab {
  return {
    draw: (name) => seededRandom(`${seed} ${name}`),
    tries: (full) => Math.max(2, Math.round(full * share)),
  };
}
