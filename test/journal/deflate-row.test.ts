import { inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { deflateRow } from "../../src/journal/deflate-row.ts";
import { casesOf } from "../cases.ts";

function inflated(text: string): string {
  return inflateRawSync(deflateRow(text)).toString("utf8");
}

/** A text of bytes that repeat nothing of each other for a while, the same each time. */
function noise(length: number): string {
  let state = 1;
  const signs = Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCodePoint(0x20 + ((state >>> 16) % 0x5e));
  });
  return signs.join("");
}

test("whatever a text repeats, it comes back as it was", () => {
  const part = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom('{"seq":1,"type":"step-started"', "aaaa", "\u0000", "\u00ff", "€", "😀"),
  );
  const parts = fc.array(fc.tuple(part, fc.integer({ min: 1, max: 60 })), { maxLength: 12 });
  fc.assert(
    fc.property(parts, (all) => {
      const text = all.map(([repeated, count]) => repeated.repeat(count)).join("");
      expect(inflated(text)).toBe(text);
    }),
    { numRuns: casesOf(400) },
  );
});

test("a repetition of any length comes back, and one that is longer than the format has", () => {
  const texts = Array.from({ length: 600 }, (_, length) => `<${"a".repeat(length)}>`);
  expect(texts.filter((text) => inflated(text) !== text)).toEqual([]);
  // What repeats is no single byte.
  const mixed = Array.from({ length: 300 }, (_, length) => noise(300) + noise(length));
  expect(mixed.filter((text) => inflated(text) !== text)).toEqual([]);
});

test("a repetition comes back from any distance within 32 KiB", () => {
  const between = [0, 1, 2, 3, 4, 5, 7, 8, 9, 250, 255, 256, 257, 4093, 8190, 16_383, 32_000];
  const texts = between.map((length) => `0123456789${noise(length)}0123456789`);
  expect(texts.filter((text) => inflated(text) !== text)).toEqual([]);
});

test("texts are written one after another, larger and smaller ones, without a trace of those before", () => {
  const texts = ["", "a", noise(9000), "b", noise(30_000), "", "é".repeat(4000)];
  const bodies = texts.map((text) => deflateRow(text));
  expect(bodies.map((body) => inflateRawSync(body).toString("utf8"))).toEqual(texts);
});

test("events of a step become less than half, and noise hardly more than it was", () => {
  const event = (seq: number) => ({
    seq,
    at: 1_795_000_000_000 + seq,
    type: "turn-started",
    agent: "stage-1",
  });
  const row = JSON.stringify(Array.from({ length: 12 }, (_, index) => event(index)));
  expect(deflateRow(row).length).toBeLessThan(row.length / 2);
  const none = noise(4000);
  expect(deflateRow(none).length).toBeLessThan(4000 * 1.02);
});
