import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { readJsonSchema } from "../../../src/programs/json-schema/json-schema.ts";

const mismatch = (schema: unknown, value: Json) => readJsonSchema(schema).mismatchOf(value);

test.each<{
  readonly schema: object;
  readonly good: Json;
  readonly bad: Json;
  readonly told: string;
}>([
  {
    schema: { type: "object", required: ["files"] },
    good: { files: 1 },
    bad: {},
    told: 'lacks "files"',
  },
  {
    schema: { required: ["a", "b"], properties: { c: {} } },
    good: 5,
    bad: { a: 1 },
    told: 'lacks "b"',
  },
  {
    schema: { minimum: 3 },
    good: "text",
    bad: 2,
    told: "expected a number at least 3, found number 2",
  },
  { schema: { minItems: 2 }, good: [1, 2], bad: [1], told: "expected at least 2 items, found 1" },
  {
    schema: { type: ["object", "null"] },
    good: null,
    bad: [],
    told: "expected object or null, found array of 0",
  },
  {
    schema: { allOf: [{ required: ["a"] }, { required: ["b"] }] },
    good: { a: 1, b: 1 },
    bad: { a: 1 },
    told: 'lacks "b"',
  },
  {
    schema: { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    good: { b: 1 },
    bad: {},
    told: 'fits none of 2 alternatives: lacks "a"; lacks "b"',
  },
  { schema: { not: { type: "string" } }, good: 1, bad: "x", told: "fits what `not` excludes" },
  {
    schema: { multipleOf: 0.1 },
    good: 0.3,
    bad: 0.35,
    told: "expected a number a multiple of 0.1, found number 0.35",
  },
  {
    schema: { pattern: "^\\u00e9+$" },
    good: "éé",
    bad: "e",
    told: 'expected a text that matches ^\\u00e9+$, found string "e"',
  },
  {
    schema: { enum: [{ a: [1] }, "x"] },
    good: { a: [1] },
    bad: { a: [2] },
    told: 'expected one of {"a":[1]}, "x", found object',
  },
  {
    schema: { properties: { "a b": { items: { type: "integer" } } } },
    good: { "a b": [1, 2.0] },
    bad: { "a b": [1, "2"] },
    told: '["a b"][1]: expected integer, found string "2"',
  },
  {
    schema: { properties: { a: {} }, additionalProperties: false },
    good: { a: 1 },
    bad: { b: 1 },
    told: "b: is not allowed, found number 1",
  },
])(
  "$schema holds data to what it says [STP-10.schema, WF-11.schema]",
  ({ schema, good, bad, told }) => {
    expect(mismatch(schema, good)).toBeUndefined();
    expect(mismatch(schema, bad)).toBe(told);
  },
);

test("what is told of the data is bounded in lines and length", () => {
  const items = Array.from({ length: 5000 }, () => "x".repeat(10_000));
  const told = mismatch({ items: { type: "number" } }, items) ?? "";
  expect(told.split("\n")).toHaveLength(10);
  expect(told.length).toBeLessThan(1500);
});

test("a member that objects inherit is no member of data", () => {
  expect(mismatch({ required: ["toString", "__proto__"] }, {})).toBe(
    'lacks "toString", "__proto__"',
  );
  expect(mismatch({ properties: { constructor: { type: "number" } } }, {})).toBeUndefined();
});

test("no schema and no data take longer than a moment: what is too much does not fit", () => {
  const alternatives = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, { anyOf: [next, next, { ...next }] }];
    }),
  );
  const doubling = { $defs: { ...alternatives, l40: false }, not: { $ref: "#/$defs/l0" } };
  expect(mismatch(doubling, {})).toContain("too much work");
  const slow = { items: { pattern: "(a?){90}(b?){90}$" } };
  const texts = Array.from({ length: 60 }, () => "a".repeat(5000));
  expect(mismatch(slow, texts)).toContain("too much work");
  const squared = { uniqueItems: true, items: { $ref: "#" } };
  expect(mismatch(squared, nested(300))).toBeUndefined();
  const chain = Object.fromEntries(
    Array.from({ length: 2000 }, (_, level) => [`l${level}`, { $ref: `#/$defs/l${level + 1}` }]),
  );
  expect(mismatch({ $ref: "#/$defs/l0", $defs: { ...chain, l2000: true } }, {})).toContain(
    "too deeply",
  );
});

test("a schema that goes on into itself follows data as deep as an answer may be", () => {
  const tree = { type: "array", items: { $ref: "#" } };
  expect(mismatch(tree, nested(200))).toBeUndefined();
  expect(
    mismatch({ ...tree, items: { anyOf: [{ type: "number" }, { $ref: "#" }] } }, nested(200)),
  ).toBeUndefined();
  expect(mismatch(tree, nested(100_000))).toBe("it is nested too deeply to check");
});

test.each([
  { schema: { type: "strin" }, told: 'type cannot be "strin"' },
  {
    schema: { properties: { a: { $ref: "other.json" } } },
    told: 'properties.a.$ref leads out of the schema: "other.json"',
  },
  { schema: { $ref: "#" }, told: "$ref leads back to itself" },
  {
    schema: { anyOf: [{ type: "null" }, { $ref: "#" }] },
    told: "anyOf[1].$ref leads back to itself",
  },
  { schema: { pattern: "(?=a)" }, told: "pattern cannot be used" },
  { schema: { minItems: -1 }, told: "minItems must be a whole number" },
  { schema: 5, told: "must be a schema" },
])("$schema is refused by whoever is given it unjudged", ({ schema, told }) => {
  expect(() => readJsonSchema(schema)).toThrow(told);
});

function nested(levels: number): Json {
  let value: Json = [];
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
