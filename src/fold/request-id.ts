import { shortId } from "../foundation/ids.ts";
import { seededRandom } from "../foundation/random.ts";
import type { RunState } from "./state/run-state.ts";

/** What an id in the inbox is made from. */
export interface RequestName {
  readonly prefix: "apr" | "prm" | "qst";
  /** Who asks what: the same again when it is asked again, and nobody else's. */
  readonly asker: string;
  readonly seed: string;
}

/**
 * The id of a request in the inbox: short for people, and still of this asker alone. Two that would be the same get
 * different ones, the same ones after every replay.
 */
export function requestId(state: RunState, { prefix, asker, seed }: RequestName): string {
  for (let round = 0; ; round += 1) {
    const id = shortId(prefix, seededRandom(round === 0 ? seed : `${seed}:${round}`));
    if (!state.askers.has(id)) return id;
    const known = state.askers.get(id);
    if (known === undefined || known === asker) return id;
  }
}
