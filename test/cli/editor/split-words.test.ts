import fc from "fast-check";
import { expect, test } from "vitest";
import { splitWords } from "../../../src/cli/editor/edit-text.ts";

test.each([
  ["vi", ["vi"]],
  ["  code   --wait ", ["code", "--wait"]],
  ["'/Program Files/ed' -w", ["/Program Files/ed", "-w"]],
  ['"a \\"b\\" \\$c" d', ['a "b" $c', "d"]],
  ["a\\ b 'c'd\"e\"", ["a b", "cde"]],
  ["''", [""]],
  [
    "emacs -nw; rm -rf $HOME `id` $(id) | cat > x &",
    [..."emacs -nw; rm -rf $HOME `id` $(id) | cat > x &".split(" ")],
  ],
  ["", []],
])("%j is %j, as a shell would read it without expanding anything [T6]", (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test.each(["vi 'x", 'vi "x', 'vi "x\\"', "vi \\"])("%j has no end", (line) => {
  expect(splitWords(line)).toBeUndefined();
});

test("any words come back whole when each is quoted", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      expect(splitWords(line)).toEqual(words);
    }),
  );
});
