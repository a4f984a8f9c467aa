import { expect, test } from "vitest";
import type { Json } from "../../src/foundation/json.ts";
import { answersTo, call, oneTurnEach, runScripts, turnOf } from "./tools-run.ts";

const SHARES = { channel: true, document: true, trajectory: true } as const;

/** Lets one agent add to the trajectory, in one turn. */
async function recording(...inputs: readonly Json[]) {
  const script = [turnOf(...inputs.map((input) => call("record", input)))];
  const run = runScripts([{ id: "a", script }], oneTurnEach("a"), { shares: SHARES });
  await run.over();
  const added = run.all("record-added").map(({ by, agent, turn, record }) => {
    return { by, agent, turn, record };
  });
  return { added, answers: answersTo(run, "a") };
}

test("what an agent records stands in the journal under its own name and turn [TRJ-3.record]", async () => {
  const { added, answers } = await recording(
    { kind: "decision", text: "steel", question: "What of?", reasoning: "it lasts" },
    { kind: "finding", text: "the soil is wet" },
    { kind: "reflection", text: "slow", focal_points: ["pace"], confidence: 0.4 },
  );
  const of = { by: "a", agent: "a", turn: 1 };
  const decision = { kind: "decision", chosen: "steel", question: "What of?" };
  const reflection = { kind: "reflection", text: "slow", focalPoints: ["pace"], confidence: 0.4 };
  expect(added).toEqual([
    { ...of, record: { ...decision, reasoning: "it lasts" } },
    { ...of, record: { kind: "finding", text: "the soil is wet" } },
    { ...of, record: reflection },
  ]);
  expect(answers[0]?.result).toEqual({ recorded: true, kind: "decision" });
});

test.each<{ readonly input: { readonly [name: string]: Json }; readonly told: string }>([
  {
    input: { kind: "finding", text: "x", reasoning: "y" },
    told: '"reasoning": a finding has none',
  },
  { input: { kind: "decision", text: "x", focal_points: ["y"] }, told: "a decision has none" },
  { input: { kind: "finding", text: "x".repeat(4001) }, told: '"text"' },
  { input: { kind: "decision", text: " \u001b[31m " }, told: '"text": must say something' },
  { input: { kind: "decision", text: "x", alternatives: Array(21).fill("y") }, told: "20" },
  { input: { kind: "decision", text: "x", by: "lead" }, told: '"by"' },
  { input: { kind: "guess", text: "x" }, told: '"kind"' },
])(
  "a record that does not fit is refused, and nothing is written: $told [TRJ-3.record]",
  async ({ input, told }) => {
    const { added, answers } = await recording(input);
    expect(added).toEqual([]);
    expect(answers[0]).toMatchObject({ isError: true, result: expect.stringContaining(told) });
  },
);

test("what moves a terminal or hides text is gone from a record [TRJ-3.record]", async () => {
  const { added } = await recording({
    ...{ kind: "decision", text: "\u001b]0;owned\u0007steel\u202e", reasoning: "a\u0000b\nc" },
    alternatives: ["\u009b2Jwood"],
  });
  expect(added[0]?.record).toEqual({
    ...{ kind: "decision", chosen: "steel<U+202E>", reasoning: "ab\nc", alternatives: ["wood"] },
  });
});

test("an agent may add a hundred times, and the same again adds nothing [TRJ-3.record]", async () => {
  const finding = (text: string) => ({ kind: "finding", text });
  const all = Array.from({ length: 100 }, (_, index) => finding(`no. ${index}`));
  const { added, answers } = await recording(...all, finding("no. 7"), finding("one more"));
  expect(added).toHaveLength(100);
  expect(answers.at(-2)?.isError).toBe(false);
  expect(answers.at(-1)).toMatchObject({
    isError: true,
    result: expect.stringContaining("AGENT_TOO_MANY_RECORDS"),
  });
});

test("the tool is offered only where a trajectory is kept [TRJ-3.record]", async () => {
  const script = [turnOf(call("record", { kind: "finding", text: "x" }))];
  const run = runScripts([{ id: "a", script }], oneTurnEach("a"));
  await run.over();
  expect(run.all("record-added")).toEqual([]);
  expect(String(answersTo(run, "a")[0]?.result)).toContain("this run shares no trajectory");
});
