import fc from "fast-check";
import { expect, test } from "vitest";
import { proseOf } from "../../src/signals/prose.ts";

test.each([
  ["text without code", "a\n\n> b ~~ c", "a\n\n> b ~~ c"],
  ["a span of code", "a `b` c", "a ` c"],
  ["spans of code with longer marks", "``a ` b`` c ```d``` e", "` c ` e"],
  ["a span over two lines", "a `b\nc` d", "a ` d"],
  ["a span over two lines that end as Windows ends them", "a `b\r\nc` d", "a ` d"],
  ["what HTML hides", "a\n<!--\nb\n-->\nc", "a\n<!--\n\nc"],
  ["a span at the end", "a `b`", "a `"],
  ["a mark that nobody closes", "a ` b", "a ` b"],
  ["marks of two lengths", "a ` b `` c", "a ` b `` c"],
  ["a mark that only a longer one follows", "` a `` b `c` d", "`c` d"],
  ["marks of two paragraphs", "a ` b\n\nc ` d", "a ` b\n\nc ` d"],
  ["marks with a blank line between that is not empty", "a ` b\n \t\nc ` d", "a ` b\n\nc ` d"],
  ["a fenced block", "a\n```\nb\n```\nc", "a\n\nc"],
  ["a fenced block of tildes", "a\n~~~\nb\n~~~\nc", "a\n\nc"],
  ["a mark before and one behind a block", "a ` b\n```\nx\n```\nc ` d", "a ` b\n\nc ` d"],
  ["a block that nobody closes", "a `b` c\n\n```\nd", "a ` c\n"],
  ["a quote", "> a `b` c\n> d", "> a ` c\n> d"],
  ["code alone", "```\na\n```", ""],
])("of %s the code is left out", (_what, text, prose) => {
  expect(proseOf(text)).toBe(prose);
});

test("nothing is made up: what is left stands in the text in the same order", () => {
  const piece = fc.constantFrom("a", "b ", "`", "``", "\n", "\n\n", "```\n", "~~~\n", " \n", "> ");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join("");
      let at = 0;
      for (const character of proseOf(text).replaceAll(/\n/g, "")) {
        at = text.indexOf(character, at) + 1;
        expect(at).toBeGreaterThan(0);
      }
    }),
  );
});
