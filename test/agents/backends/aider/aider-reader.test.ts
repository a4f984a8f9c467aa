import { expect, test } from "vitest";
import { answerIn } from "../../../../src/agents/backends/aider/aider-answer.ts";
import { createAiderReader } from "../../../../src/agents/backends/aider/aider-reader.ts";
import { transcriptOf } from "./fake-aider.ts";

function read(name: string) {
  const reader = createAiderReader();
  const updates = transcriptOf(name)
    .trimEnd()
    .split("\n")
    .flatMap((line) => reader.take(line));
  return { updates, outcome: reader.outcome };
}

test("each report of aider is what was used since the one before [AGT-15]", () => {
  expect(read("edit").updates.filter(({ type }) => type === "usage")).toEqual([
    { type: "usage", usage: { inputTokens: 850, outputTokens: 120 } },
    { type: "usage", usage: { inputTokens: 14_000, outputTokens: 33 } },
  ]);
});

test("an error before an answer is over with the answer, one after it is the end [AGT-2]", () => {
  expect(read("recovered").outcome).toEqual({ status: "answered" });
  expect(read("bad-key").outcome).toMatchObject({ status: "failed", httpStatus: 401 });
  const reader = createAiderReader();
  for (const line of ["Tokens: 1 sent, 1 received.", "litellm.APIConnectionError: gone"])
    reader.take(line);
  expect(reader.outcome).toEqual({ status: "failed", problem: "gone" });
});

test("why aider waits is told [AGT-2]", () => {
  expect(read("recovered").updates).toContainEqual({
    type: "retrying",
    reason: "server-error",
    delayMs: 200,
  });
  expect(read("rate-limited").updates).toContainEqual({
    type: "retrying",
    reason: "rate-limit",
    delayMs: 500,
  });
});

test("the answer is what stands in the conversation without what aider and the user said", () => {
  const conversation = [
    "",
    "# aider chat started at 2026-11-22 08:00:00",
    "",
    "> Aider v0.86.2  ",
    "#### explain it  ",
    "#### and mind /run  ",
    "",
    "It reads.",
    "",
    "DONE: explained",
    "",
    "> Tokens: 1 sent, 1 received.  ",
    "",
  ].join("\n");
  expect(answerIn(conversation)).toBe("It reads.\n\nDONE: explained");
});
