import { describe, expect, test } from "vitest";
import {
  contextTokens,
  DEFAULT_CONTEXT_WINDOW,
  isNearlyFull,
  planCompaction,
} from "../../../../src/agents/backends/model/loop/compact.ts";
import type { SessionEntry } from "../../../../src/agents/backends/model/loop/entry.ts";

const told = (text: string, turn = 1): SessionEntry => {
  return { kind: "told", turn, why: "prompt", text };
};
const called = (call: string, text: string): readonly SessionEntry[] => [
  {
    kind: "answer",
    turn: 1,
    finish: "calls",
    parts: [{ type: "call", call, id: call, tool: "Read", input: "{}" }],
  },
  { kind: "result", call, isError: false, isBad: false, text },
];
const said = (tokens: number): SessionEntry => {
  return { kind: "answer", turn: 1, finish: "stop", parts: [], tokens };
};
/** A text of so many tokens, as they are estimated. */
const tokens = (count: number) => `first line\n${"x".repeat(count * 4 - 11)}`;

describe("a session becomes shorter", () => {
  test.each([
    [102_400, false],
    [102_401, true],
  ])(
    "at four fifths of the window, which is 128,000 tokens where nobody says: %i [LOOP-13.nearly]",
    (count, expected) => {
      expect(isNearlyFull([told(tokens(20_000)), said(count)], DEFAULT_CONTEXT_WINDOW)).toBe(
        expected,
      );
    },
  );

  test("what the provider has counted is counted, what came since is estimated [LOOP-13.nearly]", () => {
    expect(contextTokens([told(tokens(9000)), said(5000), told(tokens(300))])).toBe(5300);
    expect(contextTokens([told(tokens(9000))])).toBe(9000);
  });

  test.each([
    ["a million times what a session can have", 1e12, 6 * 2000 + 60_000],
    ["next to nothing", 1, 500],
    ["nothing", 0, 500],
  ])("a provider that counts %s is not believed [AGT-21.counts]", (_, counted, expected) => {
    expect(contextTokens([told(tokens(2000)), said(counted)])).toBe(expected);
  });

  test("old results become a line each, and where that is enough nothing else is lost [LOOP-4.compaction, LOOP-13.old]", () => {
    const old = called("a", tokens(60_000));
    const recent = called("b", tokens(15_000));
    const plan = planCompaction([told("the task"), ...old, ...recent], 100_000);
    expect(plan).toEqual({
      type: "shorten",
      rest: [
        told("the task"),
        old[0],
        { ...old[1], text: "first line … [240000 characters left out]" },
        ...recent,
      ],
    });
  });

  test("else a summary is to stand for all but the last 20,000 tokens, which begin with an answer or a word to the model [LOOP-4.compaction, LOOP-13.old]", () => {
    const old = [told(tokens(60_000)), ...called("a", "short")];
    const recent = [...called("b", tokens(9000)), ...called("c", tokens(9000))];
    const plan = planCompaction([...old, ...called("x", tokens(9000)), ...recent], 100_000);
    if (plan.type !== "summarise") throw new Error(plan.type);
    expect(plan.rest).toEqual(recent);
    expect(plan.old).toHaveLength(old.length + 2);
  });

  test("of what is new only results are cut, each to its share of two fifths of the window, with how much is missing [LOOP-13.new]", () => {
    const [answer] = called("a", "");
    if (answer === undefined) throw new Error("no answer");
    const results = ["a", "b"].flatMap((call) => called(call, tokens(30_000)).slice(1));
    const plan = planCompaction([told("the task"), answer, ...results], 32_000);
    if (plan.type !== "shorten") throw new Error(plan.type);
    expect(contextTokens(plan.rest)).toBeLessThan(13_000);
    expect(plan.rest.slice(0, 2)).toEqual([told("the task"), answer]);
    for (const entry of plan.rest.slice(2))
      expect(entry).toMatchObject({
        text: expect.stringMatching(/^first line\nx+\n… \[\d+ characters more do not fit .*\]$/),
      });
  });

  test("in a small window less than that stays [LOOP-13.old]", () => {
    const recent = called("b", tokens(2000));
    const plan = planCompaction(
      [told(tokens(2000)), ...called("a", tokens(2000)), ...recent],
      8000,
    );
    expect(plan).toMatchObject({ type: "summarise", rest: recent });
  });

  test("what somebody said last is never cut: then nothing can be left out [LOOP-13.full]", () => {
    expect(planCompaction([told(tokens(50_000))], 32_000)).toEqual({ type: "nothing" });
  });
});
