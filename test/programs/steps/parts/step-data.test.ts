import fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, toJson } from "../../../../src/foundation/json.ts";
import {
  impliedData,
  outputText,
  plainData,
  recordedData,
  storedData,
} from "../../../../src/programs/steps/parts/step-data.ts";

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => toJson(value, "a value"));
const outputs = fc.oneof(
  fc.constant(undefined),
  fc.string(),
  json.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    "",
    "{",
    "[",
    "{}",
    "[]",
    "{}}",
    "null",
    "1e999",
    '{"a":1e999}',
    '{"__proto__":1}',
  ),
);

/** What somebody knows who reads the event. */
function recorded(data: Json, output?: string): Json {
  const text = outputText({ data, ...(output === undefined ? {} : { output }) });
  return recordedData({ output: text, ...storedData(text, data) });
}

test("whatever the data and the output of a step are, its event gives the data back [STP-10.answer, ENG-2]", () => {
  fc.assert(
    fc.property(json, outputs, (data, output) => {
      expect(recorded(data, output)).toEqual(data);
    }),
    { numRuns: 500 },
  );
});

test("the data of an answer in text or JSON is not recorded a second time [STP-10.answer]", () => {
  for (const [output, data] of [
    ["done", { result: "done" }],
    ['{"a":[1]}', { a: [1] }],
    ["[1,2]", [1, 2]],
  ] as const)
    expect(storedData(output, data)).toEqual({});
  expect(storedData("see: {}", {})).toEqual({ data: {} });
});

test("an output that no journal could hold as JSON is a text [STP-10.answer]", () => {
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  for (const output of ['{"a":1e999}', deep, "[1,", "{]"])
    expect(impliedData(output)).toEqual({ result: output });
});

test("people read the text of a step that came to nothing else [STP-10.answer]", () => {
  expect(plainData({ result: "done" })).toBe("done");
  expect(plainData({ result: "done", more: 1 })).toEqual({ result: "done", more: 1 });
  expect(plainData({ result: 1 })).toEqual({ result: 1 });
  expect(plainData(["a"])).toEqual(["a"]);
});
