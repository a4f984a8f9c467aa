import { expect, test } from "vitest";
import { lastWords } from "../../../src/foundation/failure-report/printed-output.ts";

test.each([
  ["the last line", "one\ntwo", "two"],
  ["without blanks around it", "one\n  two \t\r\n", "two"],
  [
    "the last line with words rather than a rule or a count",
    "error: no file\n=====\n42\n\n",
    "error: no file",
  ],
  ["a line without words where there is no other", "\n---\n== 42 ==\n", "== 42 =="],
  ["the last of lines without words", "---\n== 42 ==\n43\n  \n", "43"],
  ["nothing of nothing", " \n\n\t", ""],
  ["words of any language", "漢字\n---", "漢字"],
])("the last words of a text are %s", (_what, text, words) => {
  expect(lastWords(text)).toBe(words);
});

test("of a long line they are the end, in whole characters", () => {
  expect(lastWords(`a${"x".repeat(200)}`)).toBe("x".repeat(200));
  expect(lastWords(`😀${"x".repeat(199)}`)).toBe(`\ufffd${"x".repeat(199)}`);
});
