import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

type Options = { readonly [key: string]: Json };
const turns = { maxAttempts: 1, retryDelayMs: 0 };
const NAMES = ["review-loop", "reflection", "verifier", "red-team"] as const;

function held(pattern: string, said: Options, options: Options = {}) {
  const agents = Object.keys(said).map((id) => ({ id }));
  return runWorkflowInMemory({ pattern, agents, turns, options }, { task: "write", turns: said });
}

function endOf({ events }: FinishedRun) {
  const end = events.findLast((event) => event.type === "run-ended");
  return { outcome: end?.outcome, reason: end?.reason };
}

const approves = { say: "VOTE: approve" };

test.each(NAMES)(
  "%s: what was made is looked at, made again by what was wrong, and ends with approval [PAT-more.revision, PAT-more-2.revision]",
  async (pattern) => {
    const run = await held(pattern, {
      a: [
        { expect: "write", say: "DONE: first" },
        { expect: "it is short", say: "DONE: second" },
      ],
      r: [
        { expect: "first", say: "Too little.\nVOTE: reject it is short" },
        { expect: "second", ...approves },
      ],
    });
    expect(endOf(run)).toEqual({ outcome: "completed", reason: "r approved of version 2" });
    expect(run.result).toMatchObject({
      output: "second",
      metadata: {
        rounds: 2,
        approved: true,
        reviews: [
          { round: 1, agent: "r", vote: "reject", reason: "Too little.\n\nit is short" },
          { round: 2, agent: "r", vote: "approve" },
        ],
      },
    });
  },
);

test("all look at the same version at once, and each must approve of it [PAT-more.revision, PAT-more-2.revision]", async () => {
  const run = await held("review-loop", {
    a: [{ say: "DONE: one" }, { expect: "objection of s", say: "DONE: two" }],
    r: [approves, { expect: "Version 2", ...approves }],
    s: [{ say: "VOTE: reject it is wrong" }, approves],
  });
  expect(endOf(run)).toEqual({ outcome: "completed", reason: "r, s approved of version 2" });
});

test.each([
  ["review-loop", "maxRounds"],
  ["reflection", "maxRounds"],
  ["verifier", "maxAttempts"],
  ["red-team", "maxRounds"],
])(
  "without approval the bound ends a %s with the last version [PAT-more.revision, PAT-ends.limit, PAT-more-2.bound]",
  async (pattern, bound) => {
    const no = { say: "VOTE: reject never" };
    const run = await held(
      pattern,
      { a: [{ say: "DONE: one" }, { say: "DONE: two" }], r: [no, no] },
      { [bound]: 2 },
    );
    expect(endOf(run)).toEqual({
      outcome: "limit-reached",
      reason: "r did not approve of the last version",
    });
    expect(run.result).toMatchObject({ output: "two", metadata: { rounds: 2, approved: false } });
  },
);

test("a version is made three times at most, in a red-team twice, unless the block says otherwise [PAT-more-2.revision]", async () => {
  for (const pattern of await loadPatterns(NAMES)) {
    const { name } = pattern;
    const definition = defineTestWorkflow({ pattern: name, agents: [{ id: "a" }, { id: "r" }] });
    const versions = name === "red-team" ? 2 : 3;
    expect([name, pattern.turns?.(definition).most]).toEqual([name, 2 * versions]);
  }
});

test("whoever fails looks no more; without an author, or anybody who looks, the run has failed [PAT-more.revision]", async () => {
  const one = await held("review-loop", {
    a: [{ say: "DONE: one" }],
    r: [{ say: "FAILED: ill" }],
    s: [approves],
  });
  expect(endOf(one)).toEqual({ outcome: "completed", reason: "s approved of version 1" });
  const none = await held("reflection", { a: [{ say: "DONE: one" }], r: [{ say: "FAILED: ill" }] });
  expect(endOf(none)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^nobody is left to look at it/),
  });
  const lost = await held("verifier", { a: [{ say: "FAILED: ill" }], r: [approves] });
  expect(endOf(lost)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^a makes nothing any more/),
  });
});

test("only those who look vote: a vote of the author counts nothing [PAT-more.revision]", async () => {
  const run = await held(
    "reflection",
    { a: [{ say: "VOTE: approve\nDONE: one" }], r: [{ say: "VOTE: reject it is wrong" }] },
    { maxRounds: 1 },
  );
  expect(run.result?.metadata).toMatchObject({ approved: false });
  expect(run.events).toContainEqual(
    expect.objectContaining({ type: "signal-received", agent: "a", refused: "only voters vote" }),
  );
});

test("reflection is by whom its block names, for as many rounds as it says [PAT-more.revision]", async () => {
  const run = await held(
    "reflection",
    {
      x: [{ say: "DONE: never" }],
      r: [{ say: "VOTE: reject it is short" }],
      a: [{ say: "DONE: one" }],
    },
    { author: "a", critic: "r", maxRounds: 1 },
  );
  expect(run.result).toMatchObject({
    output: "one",
    metadata: { rounds: 1, reviews: [{ round: 1, agent: "r", vote: "reject" }] },
  });
});

test("killed after any write it comes to the same end [PAT-more.revision]", async () => {
  const store = createCuttableStore();
  const agents = [{ id: "a" }, { id: "r" }];
  const said = {
    a: [{ say: "DONE: one" }, { expect: "objection of r", say: "DONE: two" }],
    r: [{ say: "VOTE: reject it is wrong" }, approves],
  };
  const whole = await runWorkflowInMemory(
    { pattern: "verifier", agents, turns },
    { store, task: "x", turns: said },
  );
  const id = whole.state.run.id;
  for (const seq of store.commits(id).slice(0, -1)) {
    const resumed = await resumeInMemory(id, { store: await store.cutAfter(id, seq) });
    const { result } = await resumed.over();
    expect({ seq, output: result?.output }).toEqual({ seq, output: "two" });
    expect(result?.metadata).toEqual(whole.result?.metadata);
  }
});

test("who takes part fits together, under the names of each block [PAT-more.revision]", async () => {
  const patterns = await loadPatterns(NAMES);
  const faultsOf = (name: string, ids: readonly string[], options: Options = {}) =>
    patterns
      .find((pattern) => pattern.name === name)
      ?.check?.(defineTestWorkflow({ pattern: name, agents: ids.map((id) => ({ id })), options }))
      .map(({ key, problem }) => [key, problem]);
  for (const name of NAMES) {
    expect(faultsOf(name, ["a", "r"])).toEqual([]);
    expect(faultsOf(name, ["a"])).toEqual([[undefined, "nobody looks at what a makes"]]);
  }
  expect(faultsOf("reflection", ["a", "r", "s"])).toEqual([
    [undefined, "one alone looks at it, and r, s could"],
  ]);
  expect(faultsOf("verifier", ["a", "r"], { verifier: "a", worker: "a" })).toEqual([
    ["verifier", "a would look at its own work"],
  ]);
  expect(faultsOf("red-team", ["a", "r"], { attackers: ["x"] })).toEqual([
    ["attackers", 'attackers names "x", who is no agent'],
  ]);
});

test.each([...NAMES, "scatter-gather", "mixture-of-agents", "escalation", "cascade"])(
  "%s gives its conventions to steps, which are in its place [PAT-steps.conventions]",
  async (pattern) => {
    const [first, last] = ["a", "r"].map((id) => ({ id, agent: id, prompt: `part of ${id}` }));
    const run = await runWorkflowInMemory(
      {
        pattern,
        mode: "sequential",
        agents: [{ id: "a" }, { id: "r" }],
        steps: [first, last].flatMap((step) => step ?? []),
      },
      {
        task: "x",
        turns: {
          a: [{ expect: "part of a", say: "DONE: one" }],
          r: [{ expect: "part of r", say: "DONE: two" }],
        },
      },
    );
    expect(run.result?.output).toBe("## a\n\none\n\n## r\n\ntwo");
    expect(endOf(run)).toEqual({ outcome: "completed", reason: "2 of 2 steps done" });
  },
);
