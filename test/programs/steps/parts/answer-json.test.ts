import { describe, expect, test } from "vitest";
import { jsonFromAnswer } from "../../../../src/programs/steps/parts/answer-json.ts";

const FENCE = "```";

function fenced(label: string, body: string): string {
  return `${FENCE}${label}\n${body}\n${FENCE}`;
}

describe("an answer that is JSON", () => {
  test.each([
    ['{"files": ["a.ts"]}', { files: ["a.ts"] }],
    [' \n[1, {"a": null}]\n', [1, { a: null }]],
    ['\uFEFF{"a": 1}', { a: 1 }],
    ['{"a": 1, "a": 2}', { a: 2 }],
    [`Here it is:\n${fenced("json", '{"a": 1}')}\nDone.`, { a: 1 }],
    [fenced("", '{"a": 1}'), { a: 1 }],
    [fenced("JSON title=x", '{"a": 1}'), { a: 1 }],
    [`- it:\n    ${FENCE}json\r\n    {"a": 1}\r\n    ${FENCE}\r\n`, { a: 1 }],
    [`~~~json\n{"a": 1}\n~~~`, { a: 1 }],
    [`${fenced("json", '{"a": 1}')}\nbetter:\n${fenced("json", '{"a": 2}')}`, { a: 2 }],
    [`${fenced("json", '{"a": 1}')}\nrun:\n${fenced("sh", "[ -f x ]")}`, { a: 1 }],
    [`${fenced("json", '{"a": 1}')}\nand:\n${fenced("", "plain text")}`, { a: 1 }],
    [`${fenced("json", '{"a": 1}')}\nand:\n${fenced("json", '{"a": oops}')}`, { a: 1 }],
    [`${FENCE}json\n{"a": 1}`, { a: 1 }],
    [`${FENCE}json\n{"text": "${FENCE}"}\n${FENCE}`, { text: FENCE }],
    [`see ${FENCE}inline${FENCE}\n${FENCE}${FENCE}\n${fenced("json", '{"a": 1}')}`, undefined],
  ])("%j gives %j [STP-10.answer]", (text, expected) => {
    expect(jsonFromAnswer(text)).toEqual(expected);
  });

  test("its texts and numbers are such that a journal keeps them [STP-10.answer]", () => {
    expect(jsonFromAnswer('{"text": "\\ud800", "zero": -0}')).toEqual({ text: "\uFFFD", zero: 0 });
    expect(jsonFromAnswer('{"huge": 1e999}')).toBeUndefined();
  });

  test("a key like __proto__ stays a key and changes nothing else [STP-10.answer, T10]", () => {
    const value = jsonFromAnswer('{"__proto__": {"isAdmin": true}, "constructor": 1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(Object(value))).toEqual(["__proto__", "constructor"]);
    expect(Reflect.get(Object(value), "isAdmin")).toBeUndefined();
    expect(Reflect.get({}, "isAdmin")).toBeUndefined();
  });
});

describe("an answer that is text", () => {
  test.each([
    "",
    "DONE: ok",
    "42",
    "true",
    "null",
    '"text"',
    "{a: 1}",
    '{"a": 1} and more',
    fenced("json", "42"),
    fenced("js", '{"a": 1}'),
    fenced("jsonc", '{"a": 1}'),
    `${FENCE}${FENCE}markdown\n${fenced("json", '{"a": 1}')}\n${FENCE}${FENCE}`,
  ])("%j gives nothing [STP-10.answer]", (text) => {
    expect(jsonFromAnswer(text)).toBeUndefined();
  });

  test("up to 200 levels are JSON, more are text [STP-10.answer, T9]", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(jsonFromAnswer(nested(200))).toBeDefined();
    expect(jsonFromAnswer(nested(201))).toBeUndefined();
    expect(jsonFromAnswer(fenced("json", nested(201)))).toBeUndefined();
    expect(jsonFromAnswer(JSON.stringify({ text: nested(5000) }))).toEqual({ text: nested(5000) });
  });
});
