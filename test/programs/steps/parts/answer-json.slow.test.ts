import { expect, test } from "vitest";
import { jsonFromAnswer } from "../../../../src/programs/steps/parts/answer-json.ts";
import { cpuMs } from "../../../testing/processor-time.ts";

const SIZE = 10_000_000;
const FENCE = "```";

function filled(text: string): string {
  return text.repeat(Math.ceil(SIZE / text.length));
}

test.each([
  ["open brackets", filled("[")],
  [
    "open and closed brackets",
    `${filled("[").slice(0, SIZE / 2)}${filled("]").slice(0, SIZE / 2)}`,
  ],
  ["empty fences", filled(`${FENCE}\n`)],
  ["fences with a bracket each", filled(`${FENCE}\n{}}\n${FENCE}\n`)],
  ["fences that are never closed", filled(`${FENCE}json\n{`)],
  ["backticks in one line", filled("`")],
  ["spaces", filled(" ")],
  ["spaces before fences that are none", filled(`${" ".repeat(1000)}${FENCE}\``)],
  ["line breaks", filled("\n")],
  ["quotes behind backslashes", `{"${filled('\\"')}}`],
  ["one member after another", `{${filled('"a":1,')}"b":2}`],
])("an answer of 10 MB of %s is read in linear time [STP-10.answer, T9]", (_, text) => {
  const start = cpuMs();
  jsonFromAnswer(text);
  expect(cpuMs() - start).toBeLessThan(5000);
});
