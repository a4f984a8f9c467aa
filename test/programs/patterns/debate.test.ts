import { expect, test } from "vitest";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };
const positions = { mono: "monorepo", poly: "polyrepo" };
const sides = [{ id: "mono" }, { id: "poly" }];

test("debaters hear the arguments of the round before, and the judge all of them by rounds [PAT-debate, PAT-output.debate]", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [...sides, { id: "judge", role: "judge" }],
      turns,
      options: { positions, maxRounds: 2 },
    },
    {
      task: "where does the code live",
      turns: {
        mono: [
          { say: "ARGUMENT: one place" },
          { expect: "round 1, argument of poly", say: "ARGUMENT: tools exist\nDONE: monorepo" },
        ],
        poly: [
          { say: "ARGUMENT: many owners" },
          { expect: "one place", say: "ARGUMENT: builds are fast\nDONE: polyrepo" },
        ],
        judge: [
          { expect: "round 2, argument of poly", say: "VERDICT: Monorepo.\nDONE: fewer seams" },
        ],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output: "Monorepo.\n\nfewer seams",
    metadata: {
      rounds: [
        {
          round: 1,
          arguments: [
            { agent: "mono", text: "one place", conceded: false },
            { agent: "poly", text: "many owners", conceded: false },
          ],
        },
        {
          round: 2,
          arguments: [
            { agent: "mono", text: "tools exist\n\nmonorepo", conceded: false },
            { agent: "poly", text: "builds are fast\n\npolyrepo", conceded: false },
          ],
        },
      ],
      verdict: "Monorepo.",
      judgeReasoning: "fewer seams",
      winner: "monorepo",
    },
  });
});

test("a debate ends when all others have conceded; without a judge the position that is left stands [PAT-debate, PAT-output.debate]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "debate", agents: sides, turns, options: { positions } },
    {
      task: "x",
      turns: {
        mono: [{ say: "ARGUMENT: a" }, { say: "ARGUMENT: b" }],
        poly: [{ say: "ARGUMENT: c" }, { say: "ARGUMENT: never mind\nCONCEDE: you are right" }],
      },
    },
  );
  expect(run.result).toMatchObject({
    output: "converged: monorepo",
    metadata: { winner: "monorepo" },
  });
  expect(run.all("turn-completed")).toHaveLength(4);
});

test("positions that stand after the last round are a split, and so are sides that concede at once [PAT-output.debate]", async () => {
  const workflow = {
    pattern: "debate",
    agents: sides,
    turns,
    options: { positions, maxRounds: 1 },
  };
  const stood = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { "*": [{ say: "ARGUMENT: a" }] },
  });
  expect(stood.result?.output).toBe("split: monorepo / polyrepo");
  const fell = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { "*": [{ say: "CONCEDE: fine" }] },
  });
  expect(fell.result).toMatchObject({
    output: "split: monorepo / polyrepo",
    metadata: { winner: null },
  });
});

test("debaters of one position converge at once unless the file wants all rounds", async () => {
  const same = { mono: "one", poly: "one" };
  const turnsOf = async (earlyConvergence: boolean) => {
    const run = await runWorkflowInMemory(
      { pattern: "debate", agents: sides, turns, options: { positions: same, earlyConvergence } },
      { task: "x", turns: { "*": { repeat: "last", turns: [{ say: "ARGUMENT: a" }] } } },
    );
    expect(run.result?.output).toBe("converged: one");
    return run.all("turn-completed").length;
  };
  expect(await turnsOf(true)).toBe(2);
  expect(await turnsOf(false)).toBe(6);
});

test("a debater that fails leaves, and a debate that nobody is left of has failed [PAT-fail.last]", async () => {
  const workflow = { pattern: "debate", agents: sides, turns, options: { positions } };
  const one = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { mono: [{ say: "ARGUMENT: a" }], poly: [{ say: "FAILED: no" }] },
  });
  expect(one.result?.output).toBe("converged: monorepo");
  const none = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { "*": [{ say: "FAILED: no" }] },
  });
  expect(none.outcome).toBe("failed");
});

test("a judge that gives no verdict after its reminder fails the debate, which keeps its rounds [PAT-edges.signals]", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [...sides, { id: "judge", role: "judge" }],
      turns,
      options: { positions, maxRounds: 1 },
    },
    {
      task: "x",
      turns: {
        mono: [{ say: "ARGUMENT: a" }],
        poly: [{ say: "VERDICT: poly\nARGUMENT: b" }],
        judge: [{ say: "hm" }, { say: "hm" }],
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.result?.metadata).toMatchObject({
    rounds: [{ round: 1, arguments: [{ text: "a" }, { text: "b" }] }],
    verdict: null,
  });
  const refused = run.all("signal-received").filter(({ counted }) => !counted);
  expect(refused).toMatchObject([{ agent: "poly", refused: "only the judge gives a verdict" }]);
});

test("the position that is left has not won when the judge gives no verdict", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [...sides, { id: "judge", role: "judge" }],
      turns,
      options: { positions, maxRounds: 1 },
    },
    {
      task: "x",
      turns: {
        mono: [{ say: "ARGUMENT: a" }],
        poly: [{ say: "CONCEDE: you are right" }],
        judge: [{ say: "hm" }, { say: "hm" }],
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.result?.metadata).toMatchObject({ verdict: null, winner: null });
});

test("programs argue and judge with their text; each turn has the topic again, for they remember nothing [PAT-plain.answers, PAT-plain.told]", async () => {
  const told: string[] = [];
  const program = { backend: "function" };
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [
        { id: "mono", ...program },
        { id: "poly", ...program },
        { id: "judge", role: "judge", ...program },
      ],
      turns,
      options: { maxRounds: 2 },
    },
    {
      task: "the topic",
      functions: {
        mono: ({ task }) => {
          told.push(task);
          return "mine";
        },
        poly: () => "ours",
        judge: () => "poly\nit is better",
      },
    },
  );
  expect(told).toHaveLength(2);
  expect(told[1]).toMatch(/^the topic\n\n[\s\S]*round 1, argument of poly\nours/);
  expect(run.result?.metadata).toMatchObject({
    verdict: "poly",
    judgeReasoning: "it is better",
    winner: "poly",
  });
});

test("an argument that a tool gives reaches the opponent although its text says nothing", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "debate", agents: sides, turns, options: { positions, maxRounds: 2 } },
    {
      task: "x",
      turns: {
        mono: [
          { do: [{ signal: { kind: "argument", value: "by tool" } }], say: "" },
          { say: "ARGUMENT: z" },
        ],
        poly: [{ say: "ARGUMENT: c" }, { expect: "by tool", say: "CONCEDE: yes" }],
      },
    },
  );
  expect(run.result?.output).toBe("converged: monorepo");
});
