import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { casesOf } from "../../cases.ts";
import { isEstimated, promptCount, resumedEverywhere, runTalkCase, turnsOf } from "./talk-runs.ts";

const tiers = ["a", "b", "c"];
const agents = tiers.map((id) => ({ id }));
const good = [
  { say: "DONE [confidence=0.2]: low" },
  { say: "DONE [confidence=0.7]: enough" },
  { say: "DONE: silent of confidence" },
  { say: "", do: [{ signal: { kind: "done", value: "by tool", confidence: 0.9 } }] },
];
const shown = z.object({
  tiers: z.array(z.object({ agent: z.string(), confidence: z.number(), accepted: z.boolean() })),
  tiersUsed: z.number(),
  accepted: z.boolean(),
});

test("whatever tiers do, each is asked once, in order, until one is sure enough [PAT-cascade, PAT-turns.bounded]", async () => {
  const turns = fc.record({ a: turnsOf(good), b: turnsOf(good), c: turnsOf(good) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 3 }), turns, async (maxEscalations, said) => {
      const run = await runTalkCase(
        { pattern: "cascade", agents, options: { maxEscalations } },
        said,
      );
      const { metadata, output } = run.result ?? {};
      const { tiers: ended, tiersUsed, accepted } = shown.parse(metadata);
      const most = Math.min(3, maxEscalations + 1);
      expect(ended.map(({ agent }) => agent)).toEqual(tiers.slice(0, tiersUsed));
      expect(ended.slice(0, -1).every((tier) => !tier.accepted && tier.confidence < 0.7)).toBe(
        true,
      );
      expect(accepted).toBe((ended.at(-1)?.confidence ?? 0) >= 0.7);
      expect(accepted || tiersUsed === most).toBe(true);
      for (const id of tiers) expect(promptCount(run, id)).toBeLessThanOrEqual(2);
      const hasAnswer = run.all("step-completed").length > 0;
      expect(run.outcome).toBe(hasAnswer ? "completed" : "failed");
      if (hasAnswer) expect(run.all("step-completed").map((step) => step.output)).toContain(output);
    }),
    { numRuns: casesOf(1000) },
  );
}, 600_000);

test("without failures the estimate is what is done", async () => {
  const workflow = { pattern: "cascade", agents };
  const run = await runTalkCase(workflow, { "*": [{ say: "DONE [confidence=0.1]: x" }] });
  expect(run.all("turn-completed")).toHaveLength(3);
  expect(await isEstimated(workflow, run)).toBe(true);
});

test("a cascade that dies after any commit comes to the same end, in fresh sessions", async () => {
  const { whole, again } = await resumedEverywhere(
    { pattern: "cascade", agents, turns: { maxAttempts: 1, retryDelayMs: 0 } },
    {
      a: [{ do: [{ usage: { costUsd: 0.5 } }], say: "DONE [confidence=0.3]: x" }],
      b: [{ expect: "x", say: "hm" }, { say: "DONE [confidence=0.8]: y" }],
    },
  );
  expect(whole).toMatchObject({ outcome: "completed", output: "y" });
  for (const one of again) expect(one).toEqual(whole);
}, 120_000);
