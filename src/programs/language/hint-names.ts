import { nearestName } from "../../foundation/near-names.ts";

const MAX_NAMES = 50;
const MAX_COMPARED = 2000;

/** Names for a hint, few enough to be stored with the error: the nearest one first when there are more. */
export function hintNames(given: string, known: readonly string[]): readonly string[] {
  if (known.length <= MAX_NAMES) return known;
  const nearest = nearestName(given, known.slice(0, MAX_COMPARED));
  const others = known.slice(0, MAX_NAMES - 1);
  return nearest === undefined || others.includes(nearest) ? others : [nearest, ...others];
}
