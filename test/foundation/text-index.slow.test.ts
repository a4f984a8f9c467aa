import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextIndex, indexedAt, setIndexed } from "../../src/foundation/text-index.ts";

test("an index finds what a map finds, also as a copy", () => {
  const anyEntries = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 1 })));
  fc.assert(
    fc.property(anyEntries, fc.array(fc.string({ maxLength: 3 })), (entries, others) => {
      const index = createTextIndex();
      const map = new Map<string, number>();
      for (const [text, value] of entries) {
        setIndexed(index, text, value);
        map.set(text, value);
      }
      const copy = structuredClone(index);
      expect(index.count).toBe(map.size);
      for (const text of [...map.keys(), ...others]) {
        expect(indexedAt(index, text)).toBe(map.get(text));
        expect(indexedAt(copy, text)).toBe(map.get(text));
      }
    }),
  );
});

test("no two of 300,000 texts that differ little are taken for the same", () => {
  const index = createTextIndex();
  const texts = function* () {
    for (let number = 0; number < 100_000; number += 1) {
      yield `run_a/step#${number}/turn/1`;
      yield `01JQ${number.toString(32).toUpperCase().padStart(22, "0")}`;
      yield `writer-${number % 100}/${number}`;
    }
  };
  for (const [number, text] of [...texts()].entries()) setIndexed(index, text, number + 1);
  expect(index.count).toBe(300_000);
  const lost = [...texts()].filter((text, number) => indexedAt(index, text) !== number + 1);
  expect(lost).toEqual([]);
});
