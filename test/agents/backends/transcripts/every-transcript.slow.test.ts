import { describe, expect, test } from "vitest";
import { readers, transcriptsOf } from "./readers.ts";
import { byteByByte, harmfulCuts, linesOf, replay } from "./replay.ts";

describe.each(readers)("what $folder printed", (entry) => {
  const transcripts = transcriptsOf(entry);
  const known = new Set<string>();

  test("is there", () => {
    expect(transcripts).not.toEqual([]);
  });

  test.each(transcripts)(
    "means the same wherever it is cut into chunks: $name [AGT-6]",
    ({ bytes }) => {
      expect(harmfulCuts(bytes, known)).toEqual([]);
      const whole = replay(entry.createReader, [bytes]);
      expect(replay(entry.createReader, byteByByte(bytes))).toEqual(whole);
    },
  );

  test.each(transcripts)("is understood: $name", ({ bytes }) => {
    expect(replay(entry.createReader, [bytes])).not.toEqual([]);
  });
});

test("a cut inside of a character or of a line's end is tried, too", () => {
  const bytes = Buffer.from("größe\r\n€\n\nend");
  expect(linesOf(byteByByte(bytes))).toEqual(["größe", "€", "", "end"]);
  expect(harmfulCuts(bytes, new Set())).toEqual([]);
});
