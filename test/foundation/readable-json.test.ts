import fc from "fast-check";
import { expect, test } from "vitest";
import { readableJson } from "../../src/foundation/readable-json.ts";

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
