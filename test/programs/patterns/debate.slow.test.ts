import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { casesOf } from "../../cases.ts";
import { isEstimated, promptCount, resumedEverywhere, runTalkCase, turnsOf } from "./talk-runs.ts";

const debaters = ["a", "b", "c"];
const agents = [...debaters, "judge"].map((id) => ({ id }));
const positions = { a: "one", b: "two", c: "two" };
const good = [
  { say: "ARGUMENT: because" },
  { say: "ARGUMENT: because\nDONE: so" },
  { say: "CONCEDE: convinced" },
  { say: "", do: [{ signal: { kind: "argument", value: "by tool" } }] },
];
const judging = [
  { say: "VERDICT: TWO\nDONE: better" },
  { say: "VERDICT: b" },
  { say: "VERDICT: neither" },
];
const shown = z.object({
  rounds: z.array(
    z.object({
      round: z.number(),
      arguments: z.array(z.object({ agent: z.string(), conceded: z.boolean() })),
    }),
  ),
  winner: z.string().nullable(),
});

test("whatever debaters and judge do, the debate ends within its rounds, and who conceded is out [PAT-debate, PAT-turns.bounded, PAT-debate-2.end]", async () => {
  const options = fc.record({
    maxRounds: fc.integer({ min: 1, max: 4 }),
    earlyConvergence: fc.boolean(),
  });
  const turns = fc.record({
    a: turnsOf(good),
    b: turnsOf(good),
    c: turnsOf(good),
    judge: turnsOf(judging),
  });
  await fc.assert(
    fc.asyncProperty(options, turns, fc.boolean(), async (given, said, hasJudge) => {
      const judge = hasJudge ? { judge: "judge" } : {};
      const whole = { ...given, positions, ...judge };
      const run = await runTalkCase({ pattern: "debate", agents, options: whole }, said);
      expect(["completed", "failed"]).toContain(run.outcome);
      for (const id of debaters)
        expect(promptCount(run, id)).toBeLessThanOrEqual(2 * given.maxRounds);
      expect(promptCount(run, "judge")).toBeLessThanOrEqual(hasJudge ? 2 : 0);
      const { rounds, winner } = shown.parse(run.result?.metadata);
      const out = new Set<string>();
      for (const [index, round] of rounds.entries()) {
        expect(round.round).toBe(index + 1);
        for (const { agent } of round.arguments) expect(out.has(agent)).toBe(false);
        for (const { agent, conceded } of round.arguments) if (conceded) out.add(agent);
      }
      expect(["one", "two", null]).toContain(winner);
      if (run.outcome === "completed" && !hasJudge)
        expect(run.result?.output).toMatch(/^(converged: (one|two)|split: one \/ two)$/);
    }),
    { numRuns: casesOf(1000) },
  );
}, 600_000);

test("without failures the estimate is what is done", async () => {
  const workflow = { pattern: "debate", agents, options: { positions, judge: "judge" } };
  const run = await runTalkCase(workflow, {
    "*": { repeat: "last", turns: [{ say: "ARGUMENT: a\nVERDICT: one" }] },
  });
  expect(run.all("turn-completed")).toHaveLength(10);
  expect(await isEstimated(workflow, run)).toBe(true);
});

test("a debate that dies after any commit comes to the same end [PAT-debate]", async () => {
  const { whole, again } = await resumedEverywhere(
    {
      pattern: "debate",
      agents: agents.filter(({ id }) => id !== "c"),
      options: { positions: { a: "one", b: "two" }, judge: "judge", maxRounds: 2 },
      turns: { maxAttempts: 1, retryDelayMs: 0 },
    },
    {
      a: [{ say: "ARGUMENT: first" }, { say: "ARGUMENT: second" }],
      b: [{ say: "ARGUMENT: other" }, { say: "CONCEDE: fine" }],
      judge: [{ say: "VERDICT: one\nDONE: it stands" }],
    },
  );
  expect(whole).toMatchObject({ outcome: "completed", output: "one\n\nit stands" });
  for (const one of again)
    expect({ outcome: one.outcome, output: one.output }).toEqual({
      outcome: whole.outcome,
      output: whole.output,
    });
}, 120_000);
