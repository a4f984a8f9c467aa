// The keys of the richest objects of a file are some more than twenty: half of a list helps nobody.
const MOST_NAMES = 24;

/**
 * The known name nearest to a misspelt one: at most max(2, length/3) letters away, else the one that ends with it
 * after a dot, as `context.plan` with `plan`. Undefined when none is near.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  return nearestByLetters(given, names) ?? nameBelow(given, names);
}

/** Of a path it is the beginning that counts: `plan.files` is near `context.plan`. */
function nameBelow(given: string, known: readonly string[]): string | undefined {
  const [head] = given.split(".");
  return [given, head].flatMap((end) => known.find((name) => name.endsWith(`.${end}`)) ?? [])[0];
}

function nearestByLetters(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const limit = Math.max(2, Math.floor(given.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    if (Math.abs(name.length - given.length) > limit) continue;
    const distance = editDistance(wanted, name.toLowerCase(), limit);
    if (distance <= limit && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name;
}

/** `did you mean "x"?  known: a, b` or one half of it; undefined when nothing is known. */
export function didYouMean(
  given: string,
  known: Iterable<string>,
  label = "known",
): string | undefined {
  const names = [...known];
  if (names.length === 0) return undefined;
  const nearest = nearestName(given, names);
  const list = listNames(names, label);
  return nearest === undefined ? list : `did you mean "${nearest}"?  ${list}`;
}

/** `known: a, b`, at most twenty-four of them. */
export function listNames(names: readonly string[], label = "known"): string {
  const more = names.length - MOST_NAMES;
  const shown = more > 0 ? [...names.slice(0, MOST_NAMES), `… ${more} more`] : names;
  return `${label}: ${shown.join(", ")}`;
}

/** The edit distance of two texts, or any number over `limit` if it is greater than that. */
function editDistance(left: string, right: string, limit: number): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  let current = [...previous];
  for (let row = 1; row <= left.length; row += 1) {
    current[0] = row;
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const same = left.charCodeAt(row - 1) === right.charCodeAt(column - 1);
      const substitution = (previous[column - 1] ?? 0) + (same ? 0 : 1);
      const distance = Math.min(
        substitution,
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      );
      current[column] = distance;
      least = Math.min(least, distance);
    }
    // Every further row is at least as far away.
    if (least > limit) return least;
    [previous, current] = [current, previous];
  }
  return previous[right.length] ?? 0;
}

const MAX_HINTED = 50;
const MAX_COMPARED = 2000;

/** Names for a hint, few enough to be stored with the error: the nearest one first when there are more. */
export function hintNames(given: string, known: readonly string[]): readonly string[] {
  if (known.length <= MAX_HINTED) return known;
  const nearest = nearestName(given, known.slice(0, MAX_COMPARED));
  const others = known.slice(0, MAX_HINTED - 1);
  return nearest === undefined || others.includes(nearest) ? others : [nearest, ...others];
}
