import { describe, expect, test } from "vitest";
import { createLineSplitter } from "../../src/foundation/line-splitter.ts";
import { processorMs } from "../testing/processor-time.ts";

// Apart from what lines are: mutated code, which counts its own steps, is slow whatever it does.

/** The bytes in pieces of a length. */
function inPieces(text: string | Uint8Array, length: number): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * length, (at + 1) * length));
}

function split(chunks: readonly Uint8Array[], maxChars: number): void {
  const splitter = createLineSplitter(maxChars, () => {});
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
}

describe("time is linear in what comes", () => {
  test.each([
    ["a line in small pieces", () => inPieces("x".repeat(4_000_000), 100), 8_388_608],
    ["one of three bytes a character", () => inPieces("漢".repeat(4_000_000), 65_536), 8_388_608],
    ["a long one in parts", () => inPieces("ü".repeat(4_000_000), 65_536), 1000],
  ])("%s", (_, chunks, maxChars) => {
    const given = chunks();
    expect(processorMs(2000, () => split(given, maxChars))).toBeLessThan(2000);
  });
});
