import fc from "fast-check";
import { expect, test } from "vitest";
import { casesOf } from "../../cases.ts";
import { isEstimated, promptCount, resumedEverywhere, runTalkCase, turnsOf } from "./talk-runs.ts";

const voters = ["a", "b", "c"];
const agents = voters.map((id) => ({ id }));
const good = [
  { say: "VOTE: approve it is right" },
  { say: "VOTE: reject it is wrong" },
  { say: "", do: [{ signal: { kind: "vote", value: "approve" } }] },
  { hang: true, do: [{ signal: { kind: "vote", value: "reject", reason: "late" } }] },
];

test("whatever voters do, the vote ends within its turns and counts what they said themselves [PAT-consensus, PAT-turns.bounded]", async () => {
  const options = fc.record({
    type: fc.constantFrom("majority", "supermajority", "unanimous", "quorum"),
    discussion: fc.integer({ min: 0, max: 2 }),
    earlyStop: fc.boolean(),
    openBallot: fc.boolean(),
    quorum: fc.integer({ min: 1, max: 3 }),
    timeout: fc.constantFrom("30s", "5m"),
  });
  const turns = fc.record({ a: turnsOf(good), b: turnsOf(good), c: turnsOf(good) });
  await fc.assert(
    fc.asyncProperty(options, turns, async (given, said) => {
      const run = await runTalkCase({ pattern: "consensus", agents, options: given }, said);
      expect(["completed", "failed"]).toContain(run.outcome);
      for (const id of voters)
        expect(promptCount(run, id)).toBeLessThanOrEqual(2 * (given.discussion + 1));
      const { metadata = {} } = run.result ?? {};
      const votes = run.all("signal-received").filter(({ signal }) => signal.kind === "vote");
      for (const vote of run.all("pattern-advanced").filter(({ kind }) => kind === "vote")) {
        const isOwn = votes.some(({ agent, signal, counted }) => {
          const { value, reason } = signal;
          const shown = JSON.stringify({
            agent,
            vote: value,
            ...(reason === undefined ? {} : { reason }),
          });
          return counted && JSON.stringify(vote.data).startsWith(shown.slice(0, -1));
        });
        expect(isOwn).toBe(true);
      }
      if (run.outcome === "completed")
        expect(["approved", "rejected", "undecided"]).toContain(metadata["decision"]);
    }),
    { numRuns: casesOf(1000) },
  );
}, 600_000);

test("without failures the estimate is what is done", async () => {
  const workflow = { pattern: "consensus", agents, options: { discussion: 2 } };
  const run = await runTalkCase(workflow, {
    "*": { repeat: "last", turns: [{ say: "VOTE: approve" }] },
  });
  expect(run.all("turn-completed")).toHaveLength(9);
  expect(await isEstimated(workflow, run)).toBe(true);
});

test("a vote that dies after any commit comes to the same end [PAT-consensus, PAT-cut.once]", async () => {
  const { whole, again } = await resumedEverywhere(
    {
      pattern: "consensus",
      agents,
      options: { discussion: 1 },
      turns: { maxAttempts: 1, retryDelayMs: 0 },
    },
    {
      a: [{ say: "I like it" }, { say: "VOTE: approve" }],
      b: [
        { say: "VOTE: reject" },
        { do: [{ signal: { kind: "vote", value: "approve" } }], say: "" },
      ],
      c: [{ say: "hm" }, { say: "hm" }, { say: "VOTE: reject" }],
    },
  );
  expect(whole).toMatchObject({ outcome: "completed", metadata: { decision: "approved" } });
  expect(again.length).toBeGreaterThan(3);
  for (const one of again) expect(one).toEqual(whole);
}, 120_000);
