/** A reproducible stream of numbers in [0, 1). Not for secrets. */
export type Random = () => number;

/**
 * A stream of random numbers that depends on the seed text alone.
 * The generator is sfc32 (Chris Doty-Humphrey, PractRand), seeded through FNV-1a.
 */
export function seededRandom(seed: string): Random {
  let a = fnv1a(seed, 0x811c9dc5);
  let b = fnv1a(seed, a ^ 0x9e3779b9);
  let c = fnv1a(seed, b ^ 0x85ebca6b);
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let round = 0; round < 12; round += 1) next();
  return next;
}

function fnv1a(text: string, start: number): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
