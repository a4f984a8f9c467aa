/** A number and its noun: `1 step`, `3 steps`. */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
