import fc from "fast-check";
import { expect, test } from "vitest";
import { readableJson, toReadableLine, withEscapes } from "../../src/foundation/readable-json.ts";

test("texts stand as they are, below their key when they have several lines [USE-5.texts]", () => {
  const value = {
    title: 'a "quoted" path C:\\x',
    body: "one\n\ntwo",
    list: [],
    count: 3,
    none: "",
  };
  expect(readableJson(value).split("\n")).toEqual([
    'title: a "quoted" path C:\\x',
    "body:",
    "  one",
    "  ",
    "  two",
    "list: []",
    "count: 3",
    'none: ""',
  ]);
});

test("no text of a member passes for a member of its own [USE-5.texts]", () => {
  const text = fc.array(fc.string(), { minLength: 1 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, (inner) => {
      const members = readableJson({ one: inner, two: 2 })
        .split("\n")
        .filter((line) => !line.startsWith(" "));
      expect(members).toHaveLength(2);
      expect(members.at(-1)).toBe("two: 2");
    }),
  );
});

test("what lies within is indented below its key or behind its dash, down to where there is room [USE-5.texts]", () => {
  const value = {
    "odd: key": { a: 1, b: [] },
    list: ["x", ["y", { c: null }], { d: "one\r\ntwo", e: {} }, "l\rm", ""],
    none: {},
    no: false,
  };
  expect(readableJson(value).split("\n")).toEqual([
    '"odd: key":',
    "  a: 1",
    "  b: []",
    "list:",
    "  - x",
    "  - - y",
    "    - c: null",
    "  - d:",
    "      one",
    "      two",
    "    e: {}",
    "  - l",
    "    m",
    '  - ""',
    "none: {}",
    "no: false",
  ]);
  expect([[], {}, null, 3, true, "a\nb\u001b"].map((given) => readableJson(given))).toEqual([
    "[]",
    "{}",
    "null",
    "3",
    "true",
    "a\nb\u001b",
  ]);
  const nested = (levels: number): object =>
    levels === 0 ? { x: "y" } : { a: nested(levels - 1) };
  const lines = readableJson(JSON.parse(JSON.stringify(nested(20)))).split("\n");
  expect(lines).toHaveLength(13);
  expect(lines.at(-2)).toBe(`${"  ".repeat(11)}a:`);
  expect(lines.at(-1)).toBe(`${"  ".repeat(12)}${JSON.stringify(nested(8))}`);
});

test("a control character in a member stands as JSON writes it, line breaks and tabs as they are [USE-5.texts]", () => {
  expect(readableJson({ a: "\u001b\t\u0085", b: ["x\n\u0000"] })).toBe(
    `${String.raw`a: \u001b`}\t${String.raw`\u0085`}\nb:\n  - x\n    ${String.raw`\u0000`}`,
  );
  expect(withEscapes("a\r\n\t\u0007é")).toBe(`a\r\n\t${String.raw`\u0007`}é`);
});

test.each([
  ["a text", "a\nb", "a\nb"],
  ["flat members", { a: "x y", b: 2, "c d": null }, "a: x y, b: 2, c d: null"],
  ["a text with a comma", { a: "x, b: 2" }, '{"a":"x, b: 2"}'],
  ["a text with a colon", { a: "x:y" }, '{"a":"x:y"}'],
  ["a text with a line break", { a: "x\ny" }, String.raw`{"a":"x\ny"}`],
  ["a text with a return", { a: "x\ry" }, String.raw`{"a":"x\ry"}`],
  ["an empty text", { a: "" }, '{"a":""}'],
  ["a key that is none", { "a:b": 1 }, '{"a:b":1}'],
  ["what lies within", { a: {} }, '{"a":{}}'],
  ["a list", ["a", 1], '["a",1]'],
  ["nothing", null, "null"],
  ["a number", 3, "3"],
])("in one line %s can be taken for nothing else [USE-5.texts]", (_what, value, line) => {
  expect(toReadableLine(value)).toBe(line);
});
