import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sparseObject } from "../../src/foundation/sparse-object.ts";

const inner = z.object({ unit: z.string() });
const whole = z.object({
  id: z.string(),
  size: z.number().exactOptional(),
  label: z.string().optional(),
  kind: z.literal("a").default("a"),
  inner: inner.exactOptional(),
});
const sparse = sparseObject(whole);

/** What a schema makes of a value: the data, or each problem with its place. */
function outcome(schema: z.ZodType, value: unknown): unknown {
  const { data, error } = schema.safeParse(value);
  return error === undefined ? data : error.issues.map(({ path, message }) => ({ path, message }));
}

const VALUES: readonly unknown[] = [
  { id: "x" },
  { id: "x", size: 1 },
  { size: 1, id: "x" },
  { id: "x", size: "1" },
  { id: "x", size: undefined },
  { id: "x", label: undefined },
  { id: "x", kind: "b" },
  { id: "x", inner: { unit: "m", more: 1 } },
  { id: "x", inner: { unit: 1 } },
  { size: 1 },
  { id: 1, size: "1" },
  { id: "x", unknown: 1 },
  { "id,size": 1 },
  {},
  [],
  null,
  undefined,
  "x",
];

describe("a sparse object", () => {
  test("makes of every value what the whole schema makes of it, the first time and again", () => {
    for (const value of [...VALUES, ...VALUES])
      expect(outcome(sparse, value), JSON.stringify(value)).toEqual(outcome(whole, value));
  });

  test("says where in a larger value the problem is", () => {
    const list = z.object({ parts: z.array(sparse) });
    const value = { parts: [{ id: "x" }, { id: "y", inner: { unit: 1 } }] };
    expect(outcome(list, value)).toEqual(outcome(z.object({ parts: z.array(whole) }), value));
  });

  test("takes a member whose name looks like the names of others for what it is", () => {
    const fresh = sparseObject(whole);
    expect(outcome(fresh, { "id,size": 1 })).toEqual(outcome(whole, {}));
    expect(outcome(fresh, { id: "x", size: "1" })).toEqual(outcome(whole, { id: "x", size: "1" }));
  });

  test("checks values with more sets of members, or longer names, than it keeps as any other", () => {
    const long = { id: "x", ["n".repeat(10_000)]: 1, size: "1" };
    expect(outcome(sparse, long)).toEqual(outcome(whole, long));
    for (let set = 0; set < 200; set += 1) {
      const value = { id: "x", [`other-${set}`]: set, size: set % 2 === 0 ? set : "many" };
      expect(outcome(sparse, value)).toEqual(outcome(whole, value));
    }
  });

  test("leaves the prototype of what it makes alone", () => {
    const value: unknown = JSON.parse('{"id":"x","__proto__":{"size":"1"}}');
    expect(outcome(sparse, value)).toEqual({ id: "x", kind: "a" });
  });
});
