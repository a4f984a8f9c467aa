import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../../../../src/agents/backends/model/loop/entry.ts";
import { nextStep, timesAsked } from "../../../../src/agents/backends/model/loop/next-step.ts";

const told = (why: "prompt" | "continue" | "empty" | "message" = "prompt"): SessionEntry => ({
  kind: "told",
  turn: 1,
  why,
  text: "do it",
});
const answer = (
  finish: "stop" | "calls" | "length" | "refusal" | "cut",
  text: string,
  ...calls: readonly string[]
): SessionEntry => ({
  kind: "answer",
  turn: 1,
  finish,
  parts: [
    { type: "text", text },
    ...calls.map((call) => ({ type: "call" as const, call, id: call, tool: "LS", input: "{}" })),
  ],
});
const result = (call: string, isBad = false): SessionEntry => ({
  kind: "result",
  call,
  isError: isBad,
  isBad,
  text: "r",
});
const rounds = (count: number, isBad = false): readonly SessionEntry[] =>
  Array.from({ length: count }, (_, index) => [
    answer("calls", "", `c${index}`),
    result(`c${index}`, isBad),
  ]).flat();

describe("what a turn of a model does next", () => {
  test.each<[string, readonly SessionEntry[], unknown]>([
    ["it asks when it was told something", [told()], { type: "ask" }],
    ["it asks when all calls are answered", [told(), ...rounds(1)], { type: "ask" }],
    [
      "it makes the calls without a result, in order",
      [told(), answer("calls", "", "a", "b", "c"), result("b")],
      {
        type: "call",
        calls: [expect.objectContaining({ call: "a" }), expect.objectContaining({ call: "c" })],
      },
    ],
    [
      "it ends with the text when no tool is called",
      [told(), ...rounds(1), answer("stop", "done")],
      { type: "stop", reason: "end_turn", text: "done" },
    ],
    [
      "it ends as refused",
      [told(), answer("refusal", "no")],
      { type: "stop", reason: "refusal", text: "no" },
    ],
    [
      "it goes on after an answer that was too long",
      [told(), answer("length", "half")],
      { type: "tell", why: "continue", text: expect.stringContaining("Go on") },
    ],
    [
      "what was cut three times is one text, and the fourth cut ends it",
      [
        told(),
        ...["a", "b", "c"].flatMap((text) => [answer("length", text), told("continue")]),
        answer("length", "d"),
      ],
      { type: "stop", reason: "max_tokens", text: "abcd" },
    ],
    [
      "it asks once more for an answer that is empty",
      [told(), answer("stop", " \n")],
      { type: "tell", why: "empty", text: expect.stringContaining("empty") },
    ],
    [
      "and takes a second one",
      [told(), answer("stop", ""), told("empty"), answer("stop", "")],
      { type: "stop", reason: "end_turn", text: "" },
    ],
    [
      "an answer that was cut off by an interruption goes on",
      [told(), answer("cut", "so f")],
      { type: "tell", why: "continue", text: expect.any(String) },
    ],
    ["99 calls of the model are not the end", [told(), ...rounds(99)], { type: "ask" }],
    [
      "100 calls of the model are",
      [told(), ...rounds(100)],
      { type: "stop", reason: "max_turns", text: "" },
    ],
    ["nine wrong calls in a row are told", [told(), ...rounds(9, true)], { type: "ask" }],
    ["ten fail the turn", [told(), ...rounds(10, true)], { type: "give-up", badCalls: 10 }],
    [
      "a good one between them counts anew",
      [told(), ...rounds(9, true), answer("calls", "", "x"), result("x"), ...rounds(5, true)],
      { type: "ask" },
    ],
  ])("%s [LOOP-10]", (_, entries, expected) => {
    expect(nextStep(entries, 1)).toEqual(expected);
  });

  test("entries of other turns do not count [LOOP-10]", () => {
    const other = { kind: "told", turn: 2, why: "prompt", text: "next" } as const;
    expect(nextStep([told(), answer("stop", "done"), other], 2)).toEqual({ type: "ask" });
  });

  test("calls of the model before a compaction count [LOOP-10, LOOP-13.old]", () => {
    const compacted = { kind: "compacted", turn: 1, asked: 99, rest: [] } as const;
    const entries: readonly SessionEntry[] = [compacted, answer("calls", "", "a"), result("a")];
    expect(timesAsked(entries, 1)).toBe(100);
    expect(nextStep(entries, 1)).toMatchObject({ type: "stop", reason: "max_turns" });
  });
});
