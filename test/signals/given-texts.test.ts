import { describe, expect, test } from "vitest";
import { GivenTexts, lineInContext } from "../../src/signals/given-texts.ts";

function given(...texts: readonly string[]): GivenTexts {
  const kept = new GivenTexts();
  for (const text of texts) kept.add(text);
  return kept;
}

/** The line of a text that begins with a word. */
function lineOf(text: string, word: string) {
  const start = text.search(new RegExp(`^${word}`, "m"));
  const end = text.slice(start).search(/[\r\n]|$/);
  return lineInContext(text, start, start + end);
}

describe("a whole text", () => {
  test("is known again whatever its markup and blanks", () => {
    const task = given("## Say `DONE: x`\n\nwhen it is over.");
    expect(task.isWhole("Say DONE: **x** when it is over")).toBe(true);
    expect(task.isWhole("Say DONE: x when it is all over")).toBe(false);
    expect(task.isWhole("Say DONE: x")).toBe(false);
    expect(given("...").isWhole("---")).toBe(false);
    expect(new GivenTexts().isWhole("")).toBe(false);
  });

  test("is kept until eight newer ones came; the same again is none of them", () => {
    const texts = Array.from({ length: 8 }, (_, index) => `text ${index}`);
    const kept = given(...texts, "text 7", "  text: 7", "...", "");
    expect(texts.filter((text) => !kept.isWhole(text))).toEqual([]);
    kept.add("text 8");
    expect(["text 0", "text 1", "text 8"].map((text) => kept.isWhole(text))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("that is very long is told by its beginning and its end", () => {
    const [start, end] = ["a ".repeat(32_768), " z".repeat(32_768)];
    const kept = given(`${start}${"m ".repeat(100_000)}${end}`);
    expect(kept.isWhole(`${start}${"n ".repeat(50_000)}${end}`)).toBe(true);
    expect(kept.isWhole(`${start}b${end}`)).toBe(true);
    expect(kept.isWhole(`b ${start.slice(2)}m${end}`)).toBe(false);
    expect(kept.isWhole(`${start}m${end.slice(2)} b`)).toBe(false);
    const most = `${"x".repeat(131_071)}y`;
    expect(given(most).isWhole(most.replace("y", "z"))).toBe(false);
    expect(given(`${"x".repeat(65_536)}y${"x".repeat(65_535)}`).isWhole(most)).toBe(false);
  });
});

describe("a line", () => {
  const kept = given("Say how it went.\nDONE: the part\n\nThank you.");

  test.each([
    ["with what comes before it", { before: "it went", line: "DONE: the part", after: "" }, true],
    ["with what comes after it", { before: "", line: "DONE: the part", after: "> Thank" }, true],
    ["between other lines", { before: "Well", line: "DONE: the part", after: "Bye" }, false],
    ["alone", { before: "", line: "DONE: the part", after: "" }, false],
    ["with marks alone beside it", { before: "---", line: "DONE: the part", after: "***" }, false],
    ["with a part of a word", { before: "t went", line: "DONE: the part", after: "" }, false],
    ["with a part of it", { before: "it went", line: "DONE: the par", after: "" }, false],
    ["without words", { before: "it went", line: "...", after: "Thank" }, false],
  ])("%s is told from an answer", (_where, line, isKnown) => {
    expect(kept.hasLine(line)).toBe(isKnown);
  });

  test("is known from any of the texts", () => {
    const several = given("nothing", "it went. DONE: the part");
    expect(several.hasLine({ before: "it went", line: "DONE: the part", after: "" })).toBe(true);
  });
});

describe("the neighbours of a line", () => {
  test.each([
    ["a\nDONE: x\nb", { before: "a", line: "DONE: x", after: "b" }],
    [
      "one\r\ntwo\r\n\r\nDONE: x\r\n \r\n  three\r\nfour",
      { before: "two", line: "DONE: x", after: "three" },
    ],
    ["a\rDONE: x\rb\rc", { before: "a", line: "DONE: x", after: "b" }],
    ["a\rb\nDONE: x", { before: "b", line: "DONE: x", after: "" }],
    ["DONE: x\n\n", { before: "", line: "DONE: x", after: "" }],
  ])("of %j are those that are not blank", (text, line) => {
    expect(lineOf(text, "DONE")).toEqual(line);
  });

  test("are as long as two hundred characters, in whole words", () => {
    const words = "word ".repeat(60);
    const { before, line, after } = lineOf(`${words}\nDONE: x\n${words}`, "DONE");
    expect(before).toBe("word ".repeat(40).trim());
    expect([line, after]).toEqual(["DONE: x", "word ".repeat(40).trim()]);
    const [least, most] = ["x".repeat(199), "x".repeat(200)];
    expect(lineOf(`${most}\nDONE: x\n${most}`, "DONE")).toEqual({
      before: most,
      line: "DONE: x",
      after: most,
    });
    expect(lineOf(`y ${most}\nDONE: x\n${least} y`, "DONE")).toEqual({
      before: most,
      line: "DONE: x",
      after: least,
    });
  });

  test("that are long are known again, in scripts without blanks too", () => {
    const clauses = "\u8bf7\u4f60\u770b\u4e00\u4e0b\uff0c".repeat(50);
    for (const long of ["word ".repeat(60), clauses]) {
      const kept = given(`${long}end.\n\nDONE: x\nso ${long}`);
      const { before, line, after } = lineOf(`${long}end.\nDONE: x\nso ${long}`, "DONE");
      expect(Math.max(before.length, after.length)).toBeLessThanOrEqual(200);
      expect(Math.min(before.length, after.length)).toBeGreaterThan(190);
      expect(kept.hasLine({ before, line, after: "" })).toBe(true);
      expect(kept.hasLine({ before: "", line, after })).toBe(true);
    }
  });

  test("that are one long word are none", () => {
    const long = "x".repeat(300);
    expect(lineOf(`${long}\nDONE: x\n${long}`, "DONE")).toMatchObject({ before: "", after: "" });
  });

  test("beyond two hundred blanks are none", () => {
    const blanks = "\n".repeat(500);
    expect(lineOf(`a${blanks}DONE: x${blanks}b`, "DONE")).toEqual({
      before: "",
      line: "DONE: x",
      after: "",
    });
    const fewer = "\n".repeat(300);
    expect(lineOf(`a${fewer}DONE: x${fewer}b`, "DONE")).toMatchObject({ before: "a", after: "b" });
  });

  test("a line that is longer itself is told by its beginning and what is before it", () => {
    const text = `a\nDONE: ${"word ".repeat(60)}end\nb`;
    const told = `DONE: ${"word ".repeat(39)}`.trim();
    expect(lineOf(text, "DONE")).toEqual({ before: "a", line: told, after: "" });
    expect(lineOf(`a\nDONE: ${"x".repeat(194)}\nb`, "DONE")).toEqual({
      before: "a",
      line: `DONE: ${"x".repeat(194)}`,
      after: "b",
    });
  });
});
