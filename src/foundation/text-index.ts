/**
 * Numbers by text, at 16 bytes an entry and half as much again for room: texts are known by 64 bits of hash alone, so
 * that one of two texts in ten million times a million entries is taken for another. Plain data, so that
 * `structuredClone` copies it.
 */
export interface TextIndex {
  /** Two halves of a hash for each place. */
  hashes: Uint32Array;
  /** What stands at each place; 0 for an empty one. */
  values: Float64Array;
  count: number;
}

const FIRST_PLACES = 16;
const MOST_FILLED = 0.7;

/** An index without entries. */
export function createTextIndex(): TextIndex {
  return {
    hashes: new Uint32Array(2 * FIRST_PLACES),
    values: new Float64Array(FIRST_PLACES),
    count: 0,
  };
}

/** Puts a number above 0 under a text, in the place of an earlier one. */
export function setIndexed(index: TextIndex, text: string, value: number): void {
  if (index.count >= index.values.length * MOST_FILLED) grow(index);
  const [first, second] = hashOf(text);
  const place = placeOf(index, first, second);
  if (index.values[place] === 0) index.count += 1;
  put(index, place, { first, second, value });
}

/** The number under a text. */
export function indexedAt(index: TextIndex, text: string): number | undefined {
  const [first, second] = hashOf(text);
  const value = index.values[placeOf(index, first, second)];
  return value === 0 ? undefined : value;
}

/** The place of a hash, or the free one where it belongs. */
function placeOf({ hashes, values }: TextIndex, first: number, second: number): number {
  const last = values.length - 1;
  for (let place = first & last; ; place = (place + 1) & last) {
    const isFree = values[place] === 0;
    const isSame = hashes[2 * place] === first && hashes[2 * place + 1] === second;
    if (isFree || isSame) return place;
  }
}

interface Entry {
  readonly first: number;
  readonly second: number;
  readonly value: number;
}

function put({ hashes, values }: TextIndex, place: number, { first, second, value }: Entry): void {
  hashes[2 * place] = first;
  hashes[2 * place + 1] = second;
  values[place] = value;
}

function grow(index: TextIndex): void {
  const { hashes, values } = index;
  index.hashes = new Uint32Array(2 * hashes.length);
  index.values = new Float64Array(2 * values.length);
  for (const [place, value] of values.entries()) {
    if (value === 0) continue;
    const [first = 0, second = 0] = hashes.subarray(2 * place, 2 * place + 2);
    put(index, placeOf(index, first, second), { first, second, value });
  }
}

// Of this process alone: who writes texts, as whoever makes a journal does, must not know which ones fall together.
const SEEDS = [Math.random(), Math.random()].map((share) => Math.floor(share * 2 ** 32));

/** Two sums that differ in their beginnings and factors, each mixed with the other at the end. */
function hashOf(text: string): readonly [number, number] {
  let [first = 0, second = 0] = SEEDS;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x85ebca6b) ^ (second >>> 15);
  }
  first = mix(first ^ text.length);
  second = mix(second + first);
  return [mix(first ^ second), second];
}

function mix(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
