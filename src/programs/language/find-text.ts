// The engine's own search is fast for these and can take the product of both lengths for longer ones.
const MAX_SIMPLE_CHARS = 200;

/** Whether a text occurs in another, in time linear in both. */
export function isFoundIn(wanted: string, text: string): boolean {
  if (wanted.length <= MAX_SIMPLE_CHARS) return text.includes(wanted);
  if (wanted.length > text.length) return false;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    while (matched > 0 && wanted.charCodeAt(matched) !== character)
      matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === character) matched += 1;
    if (matched === wanted.length) return true;
  }
  return false;
}

/** For each beginning of a text, how long its longest proper beginning is that it also ends in. */
function bordersOf(wanted: string): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let matched = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    const character = wanted.charCodeAt(index);
    while (matched > 0 && wanted.charCodeAt(matched) !== character)
      matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === character) matched += 1;
    borders[index] = matched;
  }
  return borders;
}
