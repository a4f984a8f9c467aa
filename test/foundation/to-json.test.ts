import { describe, expect, test } from "vitest";
import { canonicalJson, isRecord, toJson } from "../../src/foundation/json.ts";

describe("a value as JSON", () => {
  test("is what JSON gives back of it", () => {
    const given = {
      none: undefined,
      nothing: null,
      list: [1, undefined, "a", [true]],
      date: new Date(0),
      own: { toJSON: () => ({ within: -0 }) },
      data: { toJSON: "no function" },
      "half \ud800": "half \udc00",
    };
    expect(toJson(given, "it")).toEqual({
      nothing: null,
      list: [1, null, "a", [true]],
      date: "1970-01-01T00:00:00.000Z",
      own: { within: 0 },
      data: { toJSON: "no function" },
      "half \ufffd": "half \ufffd",
    });
    expect([undefined, null, "a", false, 1.5, -0].map((value) => toJson(value, "it"))).toEqual([
      null,
      null,
      "a",
      false,
      1.5,
      0,
    ]);
  });

  test("keeps a member that is called as every object's prototype is, as a member", () => {
    const given: unknown = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');
    const copy = toJson(given, "it");
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1},"b":2}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    const [first] = Object.entries(Object.getOwnPropertyDescriptors(copy));
    expect(first).toEqual([
      "__proto__",
      { value: { a: 1 }, enumerable: true, writable: true, configurable: true },
    ]);
  });

  test("may stand at several places, but not within itself", () => {
    const shared = { a: 1 };
    expect(toJson([shared, shared, { shared }], "it")).toEqual([shared, shared, { shared }]);
    const round: { list: unknown[] } = { list: [] };
    round.list.push({ round });
    expect(() => toJson(round, "the result")).toThrow(
      expect.objectContaining({
        code: "VALUE_NOT_JSON",
        message: "the result cannot be stored: it holds a cycle",
      }),
    );
  });

  test.each([
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a bigint", 1n],
    ["a NaN", Number.NaN],
    ["a -Infinity", Number.NEGATIVE_INFINITY],
  ])("is not what holds %s, at any level", (found, value) => {
    for (const given of [value, [value], { a: { b: value } }, { toJSON: () => value }])
      expect(() => toJson(given, "it")).toThrow(`it cannot be stored: it holds ${found}`);
  });

  test("is not what lies too deep, and an error of its own is raised as it is", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(() => toJson(deep, "it")).toThrow(
      expect.objectContaining({
        message: "it cannot be stored: it holds too many levels",
        cause: expect.any(RangeError),
      }),
    );
    const own = new Error("not now");
    const refuse = () => {
      throw own;
    };
    expect(() => toJson([{ toJSON: refuse }], "it")).toThrow(own);
  });
});

describe("canonical JSON", () => {
  test("is the same text for equal values, and no other", () => {
    const text = '{"":[],"a":[1,{"x":null,"y":"\\""},[2,3]],"b":{},"c":true}';
    const shuffled = { c: true, b: {}, a: [1, { y: '"', x: null }, [2, 3]], "": [] };
    expect([canonicalJson(JSON.parse(text)), canonicalJson(shuffled)]).toEqual([text, text]);
    expect([null, "a", 1, false].map((value) => canonicalJson(value))).toEqual([
      "null",
      '"a"',
      "1",
      "false",
    ]);
  });
});

test("a record is an object with members by name", () => {
  expect([{}, { a: 1 }, new Date(0), [], null, "a", undefined].map(isRecord)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
