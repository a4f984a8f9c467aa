import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { consensusPattern } from "../../../src/programs/patterns/consensus.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { runTalkCase } from "./talk-runs.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };
const agents = [{ id: "a" }, { id: "b" }, { id: "c" }];
const workflow = (options: { readonly [key: string]: Json }) => ({
  pattern: "consensus",
  agents,
  turns,
  options,
});
const approve = { signal: { kind: "vote", value: "approve" } };
const reject = { signal: { kind: "vote", value: "reject" } };
const byTool = (vote: string) => ({ call: { tool: "vote", arguments: { vote } } });

test("voters vote at once, and more than half of the votes decide [PAT-consensus, PAT-votes, PAT-speak.channel, PAT-output.consensus, PAT-consensus-2.close, PAT-tally.report]", async () => {
  const run = await runWorkflowInMemory(workflow({}), {
    task: "use tabs",
    turns: {
      a: [{ say: "VOTE: approve it is shorter" }],
      b: [{ say: "I looked at it.\nVOTE: reject alignment breaks" }],
      c: [{ say: "hm" }, { say: "VOTE: approve fine" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output:
      "approved (2 to 1, majority)\n- a: approve: it is shorter\n- b: reject: alignment breaks\n- c: approve: fine",
    metadata: {
      decision: "approved",
      tally: { approve: 2, reject: 1, cast: 3, quorum: 2 },
      votes: [
        { agent: "a", vote: "approve", reason: "it is shorter" },
        { agent: "b", vote: "reject", reason: "alignment breaks" },
        { agent: "c", vote: "approve", reason: "fine" },
      ],
      electorate: ["a", "b", "c"],
      missing: [],
    },
  });
  expect(run.all("message-posted").map(({ from }) => from)).toEqual(["system"]);
});

test("each round of talk is one turn of each voter, all at once, and so is the vote, which is all without rounds [PAT-consensus-2.discussion]", async () => {
  const turnsOf = async (discussion: number) => {
    const talk = Array<Json>(discussion).fill({ after: "1s", say: "hm" });
    const all = [...talk, { after: "1s", say: "VOTE: approve" }];
    const run = await runTalkCase(workflow({ discussion }), { "*": all });
    expect(run.result?.metadata).toMatchObject({ decision: "approved", tally: { approve: 3 } });
    return run.events.flatMap(({ type }) =>
      type === "turn-started" || type === "turn-completed" ? [type.at(5)] : [],
    );
  };
  expect((await turnsOf(0)).join("")).toBe("sssccc");
  expect((await turnsOf(1)).join("")).toBe("ssscccsssccc");
});

test("votes are shown to others at the close, with an open ballot when they are given [PAT-consensus-2.ballot]", async () => {
  const shownBefore = async (openBallot: boolean) => {
    const run = await runWorkflowInMemory(workflow({ openBallot }), {
      task: "x",
      turns: { "*": [{ say: "VOTE: approve I like it" }] },
    });
    const isDecision = ({ kind }: { readonly kind: string }) => kind === "decision";
    const closed = run.all("pattern-advanced").find(isDecision)?.seq ?? 0;
    const posted = run.all("message-posted").filter(({ text }) => text.includes("I like it"));
    expect(posted.at(-1)).toMatchObject({ from: "system" });
    expect(posted.at(-1)?.seq).toBeGreaterThan(closed);
    return posted.filter(({ seq }) => seq < closed).map(({ from }) => from);
  };
  expect(await shownBefore(false)).toEqual([]);
  expect((await shownBefore(true)).toSorted()).toEqual(["a", "b", "c"]);
});

test("when all voters fail, so does the vote [PAT-consensus-2.close]", async () => {
  const run = await runWorkflowInMemory(workflow({}), {
    task: "x",
    turns: { "*": [{ say: "FAILED: no idea" }] },
  });
  expect(run.outcome).toBe("failed");
  expect(run.all("run-ended")[0]?.reason).toContain("no voter could vote: ");
});

test("a vote by tool counts although its turn is cut off by the time-out of the vote [PAT-consensus-2.close]", async () => {
  const clock = createManualClock();
  const started = await startInMemory(workflow({ timeout: "1m" }), {
    clock,
    task: "x",
    turns: {
      a: [{ say: "VOTE: approve" }],
      b: [{ do: [approve], hang: true }],
      c: [{ hang: true }],
    },
  });
  await started.event("signal-received", ({ agent }) => agent === "b");
  await started.event("step-completed", ({ step }) => step === "a");
  const over = started.over();
  await clock.advance(60_000);
  const run = await over;
  expect(run.result?.metadata).toMatchObject({
    decision: "approved",
    tally: { approve: 2, reject: 0, cast: 2 },
    missing: ["c"],
  });
});

test("a voter may change its vote until the close, by tool and in a later turn; the same vote again is none [PAT-consensus-2.changed, PRM-files-2.again]", async () => {
  const run = await runWorkflowInMemory(workflow({ discussion: 1 }), {
    task: "x",
    turns: {
      a: [{ say: "VOTE: reject" }, { say: "VOTE: approve" }],
      b: [{ say: "hm" }, { do: [byTool("reject"), byTool("approve"), byTool("approve")], say: "" }],
      c: [{ say: "hm" }, { say: "VOTE: approve" }],
    },
  });
  expect(run.result?.metadata).toMatchObject({ decision: "approved", tally: { approve: 3 } });
  const votes = run.all("pattern-advanced").filter(({ kind }) => kind === "vote");
  expect(
    votes.map(({ data }) => data).filter((vote) => JSON.stringify(vote).includes('"b"')),
  ).toEqual([
    { agent: "b", vote: "reject", changed: false },
    { agent: "b", vote: "approve", changed: true },
  ]);
});

test("an early stop closes the vote; what is given later is recorded and not counted [PAT-consensus-2.close, PRM-files-2.again]", async () => {
  const run = await runWorkflowInMemory(workflow({ earlyStop: true }), {
    task: "x",
    turns: {
      a: [{ say: "VOTE: approve" }],
      b: [{ do: [approve], say: "VOTE: reject" }],
      c: [{ hang: true }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result?.metadata).toMatchObject({
    decision: "approved",
    tally: { approve: 2, reject: 0, cast: 2 },
    missing: ["c"],
  });
});

test("a vote that comes after the close is recorded and not counted [PAT-consensus-2.changed]", async () => {
  const run = await runWorkflowInMemory(workflow({ voters: ["b"], earlyStop: true }), {
    task: "x",
    turns: { b: [{ do: [approve, reject], say: "" }] },
  });
  const recorded = run.all("signal-received").map(({ signal }) => signal);
  expect(recorded).toMatchObject([
    { kind: "vote", value: "approve" },
    { kind: "vote", value: "reject" },
  ]);
  expect(run.result?.metadata).toMatchObject({
    decision: "approved",
    tally: { approve: 1, reject: 0, cast: 1 },
  });
});

test("ties and a missed quorum are undecided, which is a completed run [PAT-votes, PAT-consensus-2.close, PAT-tally.report]", async () => {
  const tied = await runWorkflowInMemory(workflow({ voters: ["a", "B"] }), {
    task: "x",
    turns: { a: [{ say: "VOTE: approve" }], b: [{ say: "VOTE: reject" }] },
  });
  expect([tied.outcome, tied.result?.metadata["decision"]]).toEqual(["completed", "undecided"]);
  const missed = await runWorkflowInMemory(workflow({ quorum: 3 }), {
    task: "x",
    turns: {
      a: [{ say: "VOTE: approve" }],
      b: [{ say: "VOTE: approve" }],
      c: [{ say: "FAILED: no time" }],
    },
  });
  expect(missed.result?.metadata).toMatchObject({ decision: "undecided", missing: ["c"] });
});

test("weights count by voter, however its name is written [PAT-votes, PAT-tally.majority]", async () => {
  const run = await runWorkflowInMemory(workflow({ type: "weighted", weights: { C: 3 } }), {
    task: "x",
    turns: {
      a: [{ say: "VOTE: approve" }],
      b: [{ say: "VOTE: approve" }],
      c: [{ say: "VOTE: reject" }],
    },
  });
  expect(run.result?.metadata).toMatchObject({
    decision: "rejected",
    tally: { approve: 2, reject: 3 },
  });
});

test("a weighted vote without weights is refused [PAT-tally.majority]", () => {
  const faultsOf = (options: { readonly [key: string]: Json }) =>
    consensusPattern.check?.(defineTestWorkflow(workflow(options)));
  expect(faultsOf({ type: "weighted" })).toMatchObject([
    { key: "type", problem: "type weighted has no weights" },
  ]);
  expect(faultsOf({ type: "weighted", weights: { a: 2 } })).toEqual([]);
});

test("programs vote by a word, by JSON or by a line, and are asked once [PAT-plain.votes, PAT-plain.told]", async () => {
  const run = await runWorkflowInMemory(
    {
      ...workflow({}),
      agents: [...agents, { id: "d" }].map(({ id }) => ({ id, backend: "function" })),
    },
    {
      task: "x",
      functions: {
        a: () => "Approve, it is fine",
        b: () => ({ vote: "reject", reason: "too slow" }),
        c: () => "what?",
        d: () => "I read it.\nVOTE: reject too long",
      },
    },
  );
  expect(run.result?.metadata).toMatchObject({
    votes: [
      { agent: "a", vote: "approve" },
      { agent: "b", vote: "reject", reason: "too slow" },
      { agent: "d", vote: "reject", reason: "too long" },
    ],
    missing: ["c"],
  });
  expect(run.all("turn-completed")).toHaveLength(4);
});

test("a person votes by answering its question [PAT-plain.told]", async () => {
  const started = await startInMemory(
    { ...workflow({}), agents: [{ id: "a" }, { id: "boss", backend: "human" }] },
    { task: "ship it", turns: { a: [{ say: "VOTE: approve" }] } },
  );
  const { id, text } = await started.event("question-asked");
  expect(text).toMatch(/^ship it\n\nVote now/);
  await started.run.command({ kind: "answer-question", id, answer: "reject, too early" }, "user");
  const run = await started.over();
  expect(run.result?.metadata).toMatchObject({
    decision: "undecided",
    votes: [{ agent: "a" }, { agent: "boss", vote: "reject", reason: "too early" }],
  });
});

test("voters talk before the vote and not in it [PAT-edges.open, PAT-consensus-2.discussion]", async () => {
  const toB = (text: string) => ({ send: { to: "b", text } });
  const run = await runWorkflowInMemory(workflow({ discussion: 1 }), {
    task: "x",
    turns: {
      a: [
        { do: [toB("what do you think")], say: "hm" },
        { do: [toB("vote with me")], say: "VOTE: approve" },
      ],
      b: [{ say: "hm" }, { expect: "what do you think", say: "VOTE: approve" }],
      c: [{ say: "hm" }, { say: "VOTE: approve" }],
    },
  });
  const sent = run.all("message-posted").filter(({ from, to }) => from === "a" && to !== undefined);
  expect(sent.map(({ text }) => text)).toEqual(["what do you think"]);
});

test("its block needs no key, and knows no others [PAT-consensus-2.block]", () => {
  const isValid = (given: Json) => consensusPattern.block?.safeParse(given).success;
  expect([isValid({}), isValid({ judge: "a" }), isValid({ type: "most" })]).toEqual([
    true,
    false,
    false,
  ]);
});

test("who may vote is journaled before anybody is asked, and whom a voter spawns does not [PAT-consensus-2.electorate]", async () => {
  const tool = { tool: "spawn_agent", arguments: { name: "sock", prompt: "VOTE: approve" } };
  const run = await runWorkflowInMemory(
    { ...workflow({}), agents: [{ id: "a", spawns: true }, { id: "b" }, { id: "c" }] },
    {
      task: "x",
      turns: {
        a: [{ do: [{ call: tool }], say: "VOTE: approve" }],
        sock: [{ say: "VOTE: approve" }],
        "*": [{ say: "VOTE: reject" }],
      },
    },
  );
  const [first] = run.all("pattern-advanced");
  expect(first).toMatchObject({ kind: "electorate", data: { electorate: ["a", "b", "c"] } });
  expect(first?.seq).toBeLessThan(run.all("turn-started")[0]?.seq ?? 0);
  expect(run.all("agent-spawned").map(({ agent }) => agent)).toContain("sock");
  expect(run.result?.metadata).toMatchObject({
    electorate: ["a", "b", "c"],
    tally: { approve: 1, reject: 2, cast: 3 },
  });
});

test("nobody votes for others, and whoever is no voter does not vote [PAT-votes, PAT-edges.signals]", async () => {
  const run = await runWorkflowInMemory(workflow({ voters: ["a", "b"], discussion: 0 }), {
    task: "x",
    turns: { a: [{ say: "b: VOTE: approve\nVOTE: approve" }], b: [{ say: "VOTE: reject" }] },
  });
  expect(run.result?.metadata).toMatchObject({
    electorate: ["a", "b"],
    votes: [
      { agent: "a", vote: "approve" },
      { agent: "b", vote: "reject" },
    ],
  });
});
