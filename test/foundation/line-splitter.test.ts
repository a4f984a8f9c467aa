import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineSplitter } from "../../src/foundation/line-splitter.ts";

type Part = readonly [line: string, isPartial: boolean];

function split(chunks: readonly Uint8Array[], maxChars: number): readonly Part[] {
  const parts: Part[] = [];
  const splitter = createLineSplitter(maxChars, (line, isPartial) => parts.push([line, isPartial]));
  for (const chunk of chunks) {
    const copy = Uint8Array.from(chunk);
    splitter.push(copy);
    // Whoever read it frees it.
    copy.fill(0);
  }
  splitter.end();
  return parts;
}

/** The bytes in pieces of a length. */
function inPieces(text: string | Uint8Array, length: number): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * length, (at + 1) * length));
}

test("lines come whole however their bytes were cut [AGT-6]", () => {
  const text = fc.array(fc.constantFrom("a", "ü", "漢", "😀", "\n", "\r\n", "\r", "x".repeat(7)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (words, length) => {
      const whole = words.join("");
      const expected = whole.split("\n").map((line) => line.replace(/\r$/, ""));
      if (whole === "" || whole.endsWith("\n")) expected.pop();
      expect(split(inPieces(whole, length), 1000)).toEqual(expected.map((line) => [line, false]));
    }),
  );
});

test("a long line comes in parts of whole characters, the last one of which ends it", () => {
  const line = "漢😀aü".repeat(20);
  for (const length of [1, 3, 7, 1000]) {
    const parts = split(inPieces(`one\n${line}\ntwo`, length), 10);
    expect(parts[0]).toEqual(["one", false]);
    expect(parts.at(-1)).toEqual(["two", false]);
    const inside = parts.slice(1, -1);
    expect(inside.map(([part]) => part).join("")).toBe(line);
    expect(
      inside.every(
        ([part]) =>
          (part.length <= 10 && part.length >= 9 - 1 && part.isWellFormed()) ||
          part === inside.at(-1)?.[0],
      ),
    ).toBe(true);
    expect(inside.map(([, isPartial]) => isPartial)).toEqual([
      ...inside.slice(1).map(() => true),
      false,
    ]);
  }
});

test("a line that is skipped is heard no more, and the next one is", () => {
  for (const length of [1, 4, 1000]) {
    const parts: Part[] = [];
    const splitter = createLineSplitter(5, (line, isPartial) => {
      parts.push([line, isPartial]);
      if (isPartial) splitter.skipLine();
    });
    for (const piece of inPieces(`one\n${"x".repeat(100)}\ntwo\n${"y".repeat(50)}`, length))
      splitter.push(piece);
    splitter.end();
    expect(parts).toEqual([
      ["one", false],
      ["xxxxx", true],
      ["two", false],
      ["yyyyy", true],
    ]);
  }
});

test("bytes that are no UTF-8 become marks, as many as they are, and never more than fit", () => {
  expect(split([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xc3])], 100)).toEqual([
    ["a\u{FFFD}b", false],
    ["\u{FFFD}", false],
  ]);
  const parts = split(inPieces(Buffer.alloc(1000, 0x80), 100), 10);
  expect(parts.every(([part]) => part.length <= 30)).toBe(true);
});

test("lines that come whole are never held, so that a splitter for one of them takes no memory", () => {
  const before = process.memoryUsage().arrayBuffers;
  const lines: string[] = [];
  const splitters = Array.from({ length: 5000 }, () =>
    createLineSplitter(1000, (line) => lines.push(line)),
  );
  for (const splitter of splitters) splitter.push(Buffer.from("one line\n"));
  expect(lines).toHaveLength(5000);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  // Each is still there.
  for (const splitter of splitters) splitter.push(Buffer.from("another"));
  for (const splitter of splitters) splitter.end();
  expect(lines).toHaveLength(10_000);
});

test("returns end a line before a line feed alone, whether held or not", () => {
  for (const length of [1, 2, 100])
    expect(split(inPieces("a\r\n\r\n\r\rb\r\n\n\r", length), 10)).toEqual(
      ["a", "", "\r\rb", "", ""].map((line) => [line, false]),
    );
  expect(split([], 10)).toEqual([]);
  expect(split([Buffer.from("")], 10)).toEqual([]);
});

test("a line that just fits is whole, with its return too", () => {
  for (const length of [1, 3, 100]) {
    expect(split(inPieces("xxxxx\nxxxxx\r\nüüüüü\n", length), 5)).toEqual(
      ["xxxxx", "xxxxx", "üüüüü"].map((line) => [line, false]),
    );
    expect(split(inPieces("xxxxxyyyyy\r\nxxxxx\ry", length), 5)).toEqual([
      ["xxxxx", true],
      ["yyyyy", false],
      ["xxxxx", true],
      ["\ry", false],
    ]);
    expect(split(inPieces("xxxxxy\n", length), 5)).toEqual([
      ["xxxxx", true],
      ["y", false],
    ]);
  }
});

test("what is skipped ends with its line, also when that line was held", () => {
  const parts: Part[] = [];
  const splitter = createLineSplitter(4, (line, isPartial) => {
    parts.push([line, isPartial]);
    if (line.startsWith("s")) splitter.skipLine();
  });
  for (const piece of ["skip", "ped and", " more\nnext\nsk\nlast"])
    splitter.push(Buffer.from(piece));
  splitter.end();
  splitter.end();
  expect(parts).toEqual([
    ["skip", true],
    ["next", false],
    ["sk", false],
    ["last", false],
  ]);
});

test.each(["x", "ü", "漢", "😀"])(
  "of an endless line of %s parts are handed out as soon as there is more of it",
  (char) => {
    let parts = 0;
    const splitter = createLineSplitter(10, () => {
      parts += 1;
    });
    for (let count = 1; count <= 40; count += 1) {
      splitter.push(Buffer.from(char));
      expect([count, parts]).toEqual([count, Math.floor((count * char.length - 1) / 10)]);
    }
  },
);

test("what is no text does not pile up either", () => {
  let parts = 0;
  const splitter = createLineSplitter(10, () => {
    parts += 1;
  });
  for (let count = 0; count < 100; count += 1) splitter.push(Buffer.from([0x80]));
  expect(parts).toBe(3);
});

test("a line that is longer than what was set aside for it comes whole", () => {
  const line = Array.from({ length: 3000 }, (_, index) => `${index},`).join("");
  for (const length of [100, 1000, 5000])
    expect(split(inPieces(`${line}\nx`, length), 100_000)).toEqual([
      [line, false],
      ["x", false],
    ]);
});
