import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readers, transcriptsOf } from "./readers.ts";
import { linesOf } from "./replay.ts";

const INPUTS = 10_000;

/** A line of the program with a piece replaced: cut off, of another type, repeated, with garbage inside. */
function damaged(lines: readonly string[]): fc.Arbitrary<string> {
  const line = fc.constantFrom(...lines);
  const cut = fc
    .tuple(line, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([text, share]) => text.slice(0, Math.floor(text.length * share)));
  const wrong = fc
    .tuple(line, fc.nat(), fc.jsonValue({ maxDepth: 2 }))
    .map(([text, index, value]) => withWrongValue(text, index, value));
  const sprinkled = fc
    .tuple(line, fc.nat(), fc.string({ unit: "binary", maxLength: 8 }))
    .map(([text, index, garbage]) => {
      const place = index % (text.length + 1);
      return text.slice(0, place) + garbage + text.slice(place);
    });
  return fc.oneof(line, cut, wrong, sprinkled);
}

/** The JSON of a line with its n-th member of any depth replaced; other lines stay as they are. */
function withWrongValue(text: string, index: number, value: unknown): string {
  try {
    let count = 0;
    JSON.parse(text, () => {
      count += 1;
    });
    let place = 0;
    return JSON.stringify(
      JSON.parse(text, (_, member: unknown) => {
        place += 1;
        return place === 1 + (index % count) ? value : member;
      }),
    );
  } catch {
    return text;
  }
}

describe.each(readers)("the reader of $folder", (entry) => {
  const lines = transcriptsOf(entry).flatMap(({ bytes }) => linesOf([bytes]));
  const anything = fc.oneof(
    damaged(lines),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.json({ maxDepth: 2 }),
  );

  test("takes whatever a program may print without an error of its own [AGT-6]", () => {
    let reader = entry.createReader();
    let count = 0;
    const take = (line: string) => {
      // A fresh one now and then: most of what follows the end of a turn is ignored.
      if (count % 20 === 0) reader = entry.createReader();
      count += 1;
      for (const update of reader.take(line)) expect(typeof update.type).toBe("string");
    };
    fc.assert(fc.property(anything, take), { numRuns: INPUTS / readers.length });
  });
});
